// A reporter of Node's test runner: the files in which a test failed, one a line.

export default async function* failedFiles(events) {
  const files = new Set();
  for await (const { type, data } of events) {
    // A file that dies is a test itself, by its name.
    if (type === "test:fail") files.add(data.file ?? data.name);
  }
  yield [...files].map((file) => `${file}\n`).join("");
}
