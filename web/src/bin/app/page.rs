//! The page as a handle for its scripts. It stands in this program and not in the library: what the library exported,
//! the workers' programs would export, too. What each of these does is said in `web/src/ui/page.rs`.

use js_sys::{Array, Function, JSON};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use switchyard_web::ui::Page;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Takes the handle (static/embed.js).
    #[wasm_bindgen(js_namespace = switchyardEmbed)]
    fn connect(page: PageHandle);
}

/// Hands the page to its scripts.
pub fn hand_over(page: Page) {
    connect(PageHandle(page));
}

/// The page.
#[wasm_bindgen(js_name = Page)]
pub struct PageHandle(Page);

#[wasm_bindgen(js_class = Page)]
impl PageHandle {
    /// Where it is: a `PageState`.
    pub fn look(&self) -> JsValue {
        object(&self.0.look())
    }

    /// Each run at the time shown, and where the job of this name is: a list of `RunFacts`.
    pub fn facts(&self, job: Option<String>) -> JsValue {
        object(&self.0.facts(job.as_deref()))
    }

    /// The schedulers of the list: a list of `ListedRun`.
    pub fn cards(&self) -> JsValue {
        object(&self.0.cards())
    }

    /// The jobs whose completion times differ between two schedulers: `ChangedJobs`, or null.
    #[wasm_bindgen(js_name = changedJobs)]
    pub fn changed_jobs(&self, before: u32, after: u32) -> JsValue {
        object(&self.0.changed_jobs(before, after))
    }

    /// Results as the command line prints them, as an object.
    pub fn results(&self) -> JsValue {
        // What the program has written is JSON.
        JSON::parse(&self.0.results()).unwrap_or_default()
    }

    /// What is shown, as a link.
    pub fn link(&self) -> String {
        self.0.link()
    }

    /// The same, with these packed jobs.
    #[wasm_bindgen(js_name = linkWith)]
    pub fn link_with(&self, packed: &str) -> String {
        self.0.link_with(packed)
    }

    /// The first thing of a link that cannot be understood.
    pub fn complaint(&self, link: &str) -> Option<String> {
        self.0.complaint(link)
    }

    /// A scheduler's text as results have it.
    #[wasm_bindgen(js_name = specOf)]
    pub fn spec_of(&self, text: &str) -> Option<String> {
        self.0.spec_of(text)
    }

    /// A value of a metric with its unit.
    #[wasm_bindgen(js_name = inWords)]
    pub fn in_words(&self, metric: &str, value: f64) -> String {
        self.0.in_words(metric, value)
    }

    /// The table of the page's own sweep.
    #[wasm_bindgen(js_name = sweepCsv)]
    pub fn sweep_csv(&self) -> Option<String> {
        self.0.sweep_csv()
    }

    /// What that sweep bounds: a `Sought`, or null.
    pub fn sought(&self) -> JsValue {
        object(&self.0.sought())
    }

    /// Hands the jobs with all settings on, as a file's text.
    pub fn experiment(&self, then: Function) {
        self.0.experiment(move |text| {
            // What comes of it is the script's own business.
            let _ = then.call1(&JsValue::NULL, &text.into());
        });
    }

    /// Lets the clock move.
    pub fn play(&self) {
        self.0.set_playing(true);
    }

    /// Stops the clock.
    pub fn pause(&self) {
        self.0.set_playing(false);
    }

    /// Moves the clock.
    pub fn seek(&self, seconds: f64) {
        self.0.seek(seconds);
    }

    /// Sets how fast the clock moves.
    pub fn speed(&self, speed: f64) {
        self.0.set_speed(speed);
    }

    /// Shows the view of this name; whether there is one.
    pub fn show(&self, view: &str) -> bool {
        self.0.show(view)
    }

    /// Is light, dark, or as the system has it.
    pub fn theme(&self, name: &str) {
        self.0.set_theme(name);
    }

    /// Chooses the job of this name, or none; whether there is one.
    pub fn select(&self, name: Option<String>) -> bool {
        self.0.select(name.as_deref())
    }

    /// Has the job of this name stand out, or none; whether there is one.
    pub fn highlight(&self, name: Option<String>) -> bool {
        self.0.highlight(name.as_deref())
    }

    /// Adds a scheduler, or changes the one of this number; says why it cannot.
    #[wasm_bindgen(js_name = putPolicy)]
    pub fn put_policy(&self, id: Option<u32>, spec: &str) -> Option<String> {
        self.0.put_policy(id, spec)
    }

    /// Ends a scheduler's run where it is.
    pub fn cancel(&self, id: u32) {
        self.0.cancel(id);
    }

    /// Gives a scheduler a name.
    pub fn rename(&self, id: u32, name: String) {
        self.0.rename(id, name);
    }

    /// Removes a scheduler.
    pub fn remove(&self, id: u32) {
        self.0.remove(id);
    }

    /// Has a function called with the names of what has changed, each time after something has.
    pub fn subscribe(&self, heard: Function) {
        self.0.subscribe(move |changes| {
            let names: Array = changes.iter().map(object).collect();
            // It reports its own errors.
            let _ = heard.call1(&JsValue::NULL, &names);
        });
    }
}

/// An answer as JavaScript has it.
fn object(answer: &impl Serialize) -> JsValue {
    // Numbers and texts with names always become an object.
    let object = answer.serialize(&Serializer::json_compatible());
    object.unwrap_or_default()
}
