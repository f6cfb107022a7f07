#!/bin/sh
# Everything that bench/results/README.md tells of a GPU, in one go and in under ten minutes:
#
#     bench/gpu.sh target/dist/switchyard-bench a-folder-for-the-results
#
# Wants a GPU of NVIDIA's with its driver. WebGPU is measured where a Vulkan loader is, PyTorch where
# python3 has it. What cannot be measured is said, and the rest goes on.

program=$1
results=$2
if [ ! -x "$program" ] || [ -z "$results" ]; then
    echo "usage: $0 PROGRAM FOLDER" >&2
    exit 2
fi
here=$(dirname "$0")
# What went wrong is told in words.
unset RUST_BACKTRACE RUST_LIB_BACKTRACE
mkdir -p "$results"

# Measures one thing into a file of this name.
measure() {
    name=$1
    shift
    if timeout 240 "$@" --json >"$results/$name.json" 2>"$results/$name.err"; then
        echo "$name: done after $(($(date +%s) - start)) s"
    else
        echo "$name: $(tail -n 1 "$results/$name.err")"
        rm "$results/$name.json"
    fi
    [ -s "$results/$name.err" ] || rm "$results/$name.err"
}

gns() {
    name=$1
    shift
    measure "$name" "$program" gns "$@"
}

start=$(date +%s)
nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.max.mem --format=csv |
    tee "$results/card.csv"

small=flat,resnet50,bert-base
gns cuda-f32 --backend cuda --model $small --plot "$results/cuda-f32.svg"
gns cuda-bf16 --backend cuda --model $small --dtype bf16 --plot "$results/cuda-bf16.svg"
gns cuda-f32-preconditioned --backend cuda --model $small --preconditioned
gns cuda-bf16-preconditioned --backend cuda --model $small --dtype bf16 --preconditioned
gns cuda-carried --backend cuda --model $small --kernels carried
for replicas in 1 2 4 16; do
    gns cuda-f32-r$replicas --backend cuda --model flat,bert-base --replicas $replicas
done
# A binding ends at 2 or 4 GiB: bert-base in f32 fits with four replicas.
gns wgpu-f32 --backend wgpu --model flat,resnet50
gns wgpu-f32-r4 --backend wgpu --model bert-base --replicas 4
gns wgpu-bf16 --backend wgpu --model $small --dtype bf16
gns wgpu-f32-preconditioned --backend wgpu --model flat,resnet50 --preconditioned

for model in flat resnet50 bert-base; do
    measure torch-$model-f32 python3 "$here/python/gns_baseline.py" --model $model
done
measure torch-bert-base-bf16 python3 "$here/python/gns_baseline.py" --model bert-base --dtype bf16
measure torch-bert-base-f32-preconditioned \
    python3 "$here/python/gns_baseline.py" --model bert-base --preconditioned

# 1.6 thousand million parameters: 78 GiB in f32, half of it in bf16. Most of the time goes into
# making gradients.
gns cuda-gpt2-xl-bf16 --backend cuda --model gpt2-xl --dtype bf16 --runs 21
gns cuda-gpt2-xl-f32 --backend cuda --model gpt2-xl --runs 21
