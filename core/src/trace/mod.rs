//! Opening a trace: container → encoding → detection → one importer per format → import report.
