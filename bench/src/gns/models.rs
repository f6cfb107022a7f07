//! What gradients look like in memory: the parameter tensors of real models, laid end to end in one
//! row per replica, and the chunks that kernels over such tensors work on.
//!
//! The tables lie in `bench/models/`, one tensor a line: its name, a tab, its shape.

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;

/// Elements of a chunk, the work of one block. As in `kernels/gns.cu` and `kernels/gns.wgsl`.
pub(crate) const CHUNK: usize = 16384;

/// Tensors begin at multiples of so many elements, as allocators have it: 256 bytes of f32.
const ALIGNMENT: usize = 64;

/// Where the shapes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Model {
    /// 161 tensors, 25.6 M parameters
    Resnet50,
    /// 199 tensors, 109.5 M parameters
    BertBase,
    /// 580 tensors, 1557.6 M parameters
    Gpt2Xl,
    /// One tensor of --elements
    Flat,
}

impl Model {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Resnet50 => "resnet50",
            Self::BertBase => "bert-base",
            Self::Gpt2Xl => "gpt2-xl",
            Self::Flat => "flat",
        }
    }

    fn table(self) -> Option<&'static str> {
        match self {
            Self::Resnet50 => Some(include_str!("../../models/resnet50.tsv")),
            Self::BertBase => Some(include_str!("../../models/bert-base.tsv")),
            Self::Gpt2Xl => Some(include_str!("../../models/gpt2-xl.tsv")),
            Self::Flat => None,
        }
    }

    /// Its tensors; `elements` is the length of the flat one.
    pub(crate) fn layout(self, elements: usize) -> Result<Layout> {
        let lengths = match self.table() {
            None => vec![elements],
            Some(table) => table
                .lines()
                .filter(|line| !line.starts_with('#'))
                .map(|line| length(line).with_context(|| format!("{}: `{line}`", self.name())))
                .collect::<Result<_>>()?,
        };
        Layout::new(&lengths)
    }
}

/// The elements of a table's line.
fn length(line: &str) -> Result<usize> {
    let (_, shape) = line.split_once('\t').context("there is no tab")?;
    shape.split('x').try_fold(1_usize, |product, size| {
        product
            .checked_mul(size.parse()?)
            .context("a tensor that large")
    })
}

/// A tensor's place in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tensor {
    /// Its first element, a multiple of [`ALIGNMENT`].
    pub(crate) start: usize,
    /// Its elements.
    pub(crate) length: usize,
}

/// A row of gradients: tensors, and zeros between them.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) tensors: Vec<Tensor>,
    /// Parameters: elements without padding.
    pub(crate) elements: usize,
    /// Elements of a row with padding, and from one row to the next.
    pub(crate) stride: usize,
}

impl Layout {
    /// Tensors of these lengths.
    pub(crate) fn new(lengths: &[usize]) -> Result<Self> {
        let (mut tensors, mut stride, mut elements) = (Vec::new(), 0_usize, 0_usize);
        for &length in lengths {
            ensure!(length > 0, "a tensor without elements");
            tensors.push(Tensor {
                start: stride,
                length,
            });
            elements = elements.checked_add(length).context("that many elements")?;
            stride = stride
                .checked_add(length)
                .and_then(|end| end.checked_next_multiple_of(ALIGNMENT))
                .context("that many elements")?;
        }
        ensure!(stride > 0, "there are no tensors");
        Ok(Self {
            tensors,
            elements,
            stride,
        })
    }

    /// Chunks of one row as a whole.
    pub(crate) fn flat_chunks(&self) -> usize {
        self.stride.div_ceil(CHUNK)
    }

    /// The chunk table: (tensor, which of its chunks), whole chunks before the tensors' ends and
    /// those from the longest to the shortest, so that what is short fills the gaps at the end.
    pub(crate) fn chunk_table(&self) -> Result<Vec<[u32; 2]>> {
        let (mut whole, mut ends) = (Vec::new(), Vec::new());
        for (index, tensor) in self.tensors.iter().enumerate() {
            let index = u32::try_from(index)?;
            let chunks = u32::try_from(tensor.length / CHUNK)?;
            whole.extend((0..chunks).map(|chunk| [index, chunk]));
            if !tensor.length.is_multiple_of(CHUNK) {
                ends.push((tensor.length % CHUNK, [index, chunks]));
            }
        }
        ends.sort_by_key(|&(length, _)| std::cmp::Reverse(length));
        whole.extend(ends.into_iter().map(|(_, chunk)| chunk));
        Ok(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_the_published_numbers_of_parameters() {
        for (model, tensors, elements) in [
            (Model::Resnet50, 161, 25_557_032),
            (Model::BertBase, 199, 109_482_240),
            (Model::Gpt2Xl, 580, 1_557_611_200),
            (Model::Flat, 1, 1_000_003),
        ] {
            let layout = model.layout(1_000_003).expect("a sound table");
            assert_eq!((layout.tensors.len(), layout.elements), (tensors, elements));
            assert_eq!(layout.stride % ALIGNMENT, 0);
        }
    }

    #[test]
    fn tensors_are_aligned_and_apart() {
        let layout = Layout::new(&[1, 64, 65]).expect("sound");
        let starts: Vec<usize> = layout.tensors.iter().map(|tensor| tensor.start).collect();
        assert_eq!(
            (starts, layout.stride, layout.elements),
            (vec![0, 64, 128], 256, 130)
        );
        assert!(Layout::new(&[]).is_err() && Layout::new(&[3, 0]).is_err());
    }

    #[test]
    fn the_chunk_table_covers_every_element_once() {
        let lengths = [5, CHUNK, 3 * CHUNK + 7, 1, 2 * CHUNK - 1];
        let table = Layout::new(&lengths)
            .expect("sound")
            .chunk_table()
            .expect("few");
        let mut covered: Vec<Vec<bool>> = lengths.iter().map(|&n| vec![false; n]).collect();
        for &[tensor, chunk] in &table {
            let own = &mut covered[tensor as usize];
            let start = chunk as usize * CHUNK;
            let end = (start + CHUNK).min(own.len());
            assert!(own[start..end].iter().all(|&seen| !seen));
            own[start..end].fill(true);
        }
        assert!(covered.iter().flatten().all(|&seen| seen));
        // The last are the ends, from the longest to the shortest.
        assert_eq!(table[table.len() - 4..], [[4, 1], [2, 3], [0, 0], [3, 0]]);
    }
}
