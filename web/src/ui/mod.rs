//! The page's components, one per file. [`app`] puts them together. What keeps no state is a plain
//! function: every component adds 2 KB to the page, compressed.

mod animation;
mod app;
mod applications_field;
mod canvas_host;
mod chart_card;
mod clock;
mod cluster_panel;
mod columns_dialog;
pub mod compare;
mod controls;
mod download;
mod drop_zone;
mod embed;
pub mod export;
mod focused;
mod goodput_view;
mod guide;
mod header;
mod help;
mod history_field;
mod icon;
mod import_report;
pub mod inspector;
mod job_choice;
mod job_filter;
mod job_rows;
pub mod jobs_table;
mod keyboard;
mod life;
pub mod metrics_table;
mod player;
mod playground;
mod plot;
mod queues_view;
mod round_panel;
mod scheduler_card;
mod scheduler_panel;
mod service_bar;
mod spec_edit;
mod term;
mod timeline_view;
mod trace_panel;
mod wording;
mod yard_view;

pub use app::App;
