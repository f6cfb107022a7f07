//! Every page is made as `cargo xtask lessons` makes it: with a sentence's number that cannot be computed, a
//! claim that does not hold, a goal that nothing reaches, it is not made.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use switchyard::policies::picking::network::PARAMETERS;
use switchyard::throughputs::JobType;
use switchyard::workload::GpuGeneration;

/// All at once: their runs take as long as all else.
#[test]
fn every_page_is_true_and_stands_for_itself() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let dist = std::env::temp_dir().join(format!("switchyard-lessons-{}", std::process::id()));
    std::fs::create_dir_all(&dist).unwrap();
    let site = "https://example.org/yard/";
    let made = switchyard_lessons::write(&docs, &dist, Some(site)).unwrap();
    assert_eq!(
        made.len(),
        15,
        "nine lessons, the field, the front page, the certificate, two pages for teachers and the article"
    );
    let mut opened = 0;
    for path in &made {
        let html = std::fs::read_to_string(path).unwrap();
        let folder = path.parent().unwrap();
        let name = path.display();
        assert!(!html.contains("{{"), "{name}");
        assert!(
            !html.contains("<script>") && !html.contains(" style="),
            "{name}"
        );
        let steps = html.matches("class=\"step\"").count();
        if steps > 0 {
            assert!((4..=7).contains(&steps), "{name} has {steps} steps");
            assert!(html.contains("class=\"goal\""), "{name} has no goal");
            // Three minutes of reading, and the words of captions, choices and buttons besides; what numbers open
            // is for those who ask.
            let parts = html.split("<div class=\"card\"").enumerate();
            let read = parts.filter_map(|(at, part)| match at {
                0 => Some(part),
                _ => part.split_once("</div>").map(|of| of.1),
            });
            let text: String = read
                .collect::<String>()
                .split('<')
                .filter_map(|tag| tag.split_once('>'))
                .map(|of| of.1)
                .collect();
            let words = text.split_whitespace().count();
            assert!(words <= 850, "{name} has {words} words");
        }
        // Every number of a sentence opens, with a sum that stands there.
        let numbers = html.matches("class=\"number\"").count();
        assert_eq!(html.matches(" popover ").count(), numbers, "{name}");
        assert!(
            html.matches("<dt>Values</dt><dd>").count() >= numbers,
            "{name}"
        );
        opened += numbers;
        // Who links to it has a picture of it.
        let within = folder.file_name().unwrap().to_str().unwrap();
        let begin = "<meta property=\"og:image\" content=\"";
        let picture = html.split(begin).nth(1).unwrap().split('"').next().unwrap();
        let picture = picture.strip_prefix(&format!("{site}{within}/")).unwrap();
        let png = std::fs::read(folder.join(picture)).unwrap();
        assert_eq!(&png[1..4], b"PNG");
        let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        assert_eq!((side(16), side(20)), (1200, 630), "{name}");
        assert!(png.len() > 10_000, "{picture} has {} bytes", png.len());
        assert!(png.len() < 300_000, "{picture} has {} bytes", png.len());
        for key in [
            "type",
            "title",
            "description",
            "url",
            "image:width",
            "image:height",
            "image:alt",
        ] {
            assert!(
                html.contains(&format!("<meta property=\"og:{key}\" content=\"")),
                "{name}: {key}"
            );
        }
        assert!(html.contains("<meta name=\"twitter:card\" content=\"summary_large_image\">"));
        for still in html.split("<img src=\"").skip(1) {
            let still = still.split('"').next().unwrap();
            let svg = std::fs::read_to_string(folder.join(still)).unwrap();
            assert!(svg.starts_with("<svg") && svg.contains("<rect"), "{still}");
        }
        // Jobs that do not come with the program lie beside their page.
        for src in html.split(" src=\"").skip(1) {
            let src = src.split('"').next().unwrap();
            assert!(!src.ends_with(".csv") || folder.join(src).exists(), "{src}");
        }
    }
    assert!(opened >= 60, "only {opened} numbers open");
    let learned = std::fs::read_to_string(dist.join("lessons/5-learned.html")).unwrap();
    assert!(learned.contains(&format!("<h1>A network of {PARAMETERS} numbers")));
    // The field is the document as it stands: all of its rows, and its links to the page.
    let field = std::fs::read_to_string(dist.join("lessons/field.html")).unwrap();
    let document = std::fs::read_to_string(docs.join("field.md")).unwrap();
    let lines = |begin: &str| document.matches(begin).count();
    assert_eq!(field.matches("<tr>").count(), lines("\n| "));
    let served = lines("(http://127.0.0.1:8080/#v=1");
    assert_eq!(field.matches("\"../index.html#v=1").count(), served);
    assert!(!field.contains("127.0.0.1") && !field.contains(".md"));
    std::fs::remove_dir_all(&dist).unwrap();
}

/// A sentence with a number of the engine's has a claim behind it.
#[test]
fn every_step_with_a_number_claims_something() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    for folder in ["lessons", "article"] {
        for file in std::fs::read_dir(docs.join(folder)).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|ending| ending != "md") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for step in text
                .split("\n## ")
                .filter(|step| step.contains("{{jct_mean"))
            {
                let title = step.lines().next().unwrap_or_default();
                assert!(step.contains("```claim"), "{}: {title}", path.display());
            }
        }
    }
}

/// What lesson 9 says of Gavel's measurements.
#[test]
fn eight_of_26_kinds_of_jobs_are_faster_on_the_older_gpu() {
    let speed = |of: JobType, gpu| of.throughput(gpu, 1, true).unwrap();
    let is_slower =
        |of: &JobType| speed(*of, GpuGeneration::V100) < speed(*of, GpuGeneration::P100);
    assert_eq!(JobType::COUNT, 26);
    assert_eq!(JobType::all().filter(is_slower).count(), 8);
    // And of its first two jobs.
    let gain = |name: &str| {
        let of = JobType::named(name).unwrap();
        speed(of, GpuGeneration::V100) / speed(of, GpuGeneration::K80)
    };
    assert!((7.0..7.2).contains(&gain("ResNet-50 (batch size 64)")));
    assert!((2.0..2.2).contains(&gain("A3C")));
}

/// What lesson 5 says of a fleet's week, too long for every day: 40,000 jobs under three schedulers, six times.
#[test]
#[ignore = "takes minutes"]
fn on_a_fleet_the_network_is_between_srtf_and_srsf_by_name() {
    let text = "---\ntitle: A fleet\n---\n\n## A week\n\n\
        ```view\nsrc: fleet\npolicy: srtf\n```\n\n```claim over seeds\n\
        mean_jct(rl-picker[weights=gpu]) < mean_jct(srtf)\n\
        mean_jct(srsf) < mean_jct(rl-picker[weights=gpu])\n```\n";
    switchyard_lessons::Text::read(text, Path::new(".")).unwrap();
}
