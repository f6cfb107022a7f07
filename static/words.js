// What went wrong, in words for people: errors as browsers, wasm and our own programs have them are
// for programmers. web/src/words.rs and static/rescue.js call this.
globalThis.switchyardWords = (() => {
  const KNOWN = [
    // A program that is refused memory ends at an instruction that is never reached.
    [
      /capacity overflow|memory allocation|out of memory|allocate wasm memory|array buffer allocation|unreachable$|unreachable executed|invalid array (buffer )?length|maximum call stack|memory access out of bounds/i,
      "there is no memory left for it: fewer schedulers, a shorter window of the trace or a smaller log budget need less",
    ],
    [
      /content security policy|unsafe-eval|securityerror/i,
      "the security policy of this site or of the page around it (Content-Security-Policy) forbids it",
    ],
    [
      /magic word|compileerror|wasm validation|bufferSource|unexpected token '<'|expected expression, got '<'/i,
      "what came over the network is no part of the page but something else, such as a sign-in page: sign in to the network, then reload",
    ],
    [/failed to fetch|networkerror|load failed/i, "the network does not answer: reload the page once it does"],
  ];

  return (error) => {
    const text = typeof error === "string" ? error : `${error?.name ?? ""}: ${error?.message ?? ""}`;
    const known = KNOWN.find(([pattern]) => pattern.test(text));
    if (known) return known[1];
    const [, where] = /panicked at (?:\S*\/)?(\S+?:\d+)[^\n]*:\n/.exec(text) ?? [];
    if (where) return `a fault in its program (${where})`;
    // A sentence of our own, or of the browser.
    const sentence = text.replace(/^Uncaught /, "").replace(/^(\w*(Error|Exception))?: /, "").trim();
    return sentence || "the browser does not say why";
  };
})();
