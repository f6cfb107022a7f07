// How scripts save a file, and how large it is in words.
globalThis.switchyardSaving = {
  save(blob, name) {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
    link.click();
    // A browser that saves slowly still needs it.
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  },
  size: (bytes) => (bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`),
};
