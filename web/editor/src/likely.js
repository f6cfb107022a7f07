// What is likely to be written next, and of what kind something is, from the text before it: plain functions of texts and
// the language's tables, which know nothing of the page.

/** Methods by what they are of, and what they give. What is not here gives something that has no fields. */
const GIVES = {
  jobs: { filter: "jobs", sorted: "jobs", reversed: "jobs" },
  array: { map: "array", filter: "array", sorted: "array", reversed: "array" },
  map: { keys: "array", values: "array" },
  text: { split: "array" },
};
/** What the elements of something are. */
const ELEMENTS = { jobs: "job" };
const KINDS = new Set(["job", "jobs", "view", "array", "map", "text"]);
/** What is looked at goes through so many names: `let a = b; let b = a;` ends. */
const DEEPEST = 8;

/** A text without its comments and what stands in quotes, as long as before. */
export const bare = (text) => text.replace(/\/\/.*|\/\*[\s\S]*?(\*\/|$)|"(\\.|[^"\\\n])*"?/g, (part) => (part[0] === '"' ? `"${" ".repeat(Math.max(part.length - 2, 0))}"`.slice(0, part.length) : " ".repeat(part.length)));

const CLOSING = { ")": "(", "]": "[", "}": "{" };

/** The expression that ends at the end of a text: names, calls and indices with dots between them. */
export const chainBefore = (text) => {
  let at = text.length;
  while (at > 0) {
    const rest = text.slice(0, at);
    const last = text[at - 1];
    if (/[\p{L}\p{N}_]/u.test(last)) at -= /[\p{L}\p{N}_]+$/u.exec(rest)[0].length;
    else if (last in CLOSING) {
      let depth = 0;
      let begin = at;
      do {
        begin -= 1;
        if (")]}".includes(text[begin])) depth += 1;
        else if ("([{".includes(text[begin])) depth -= 1;
      } while (depth > 0 && begin > 0);
      // `#{…}` is a map, and what stands before a bracket in words is called or indexed.
      at = text[begin - 1] === "#" ? begin - 1 : begin;
      if (/[\p{L}\p{N}_)\]]$/u.test(text.slice(0, at)) && last !== "}") continue;
    } else if (last === '"' || last === "`") {
      const begin = text.lastIndexOf(last, at - 2);
      if (begin < 0) break;
      at = begin;
    } else break;
    if (!/\.\s*$/.test(text.slice(0, at))) break;
    at = text.slice(0, at).replace(/\s*\.\s*$/, "").length;
  }
  return text.slice(at);
};

/** A chain in its links: `a.b(c)[0]` is `a`, `.b(c)`, `[0]`. */
const links = (chain) => {
  const found = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < chain.length; at += 1) {
    const letter = chain[at];
    if (depth === 0 && at > from && (letter === "." || (letter === "[" && at > 0))) {
      found.push(chain.slice(from, at));
      from = at;
    }
    if ("([{".includes(letter)) depth += 1;
    else if (")]}".includes(letter)) depth -= 1;
  }
  found.push(chain.slice(from));
  return found.map((link) => link.trim()).filter(Boolean);
};

/** Of which kind something is, in the text before it: a name of the language's table, or null. */
export const kindOf = (chain, before, words, depth = 0) => {
  if (depth > DEEPEST) return null;
  const [first, ...rest] = links(chain.trim());
  if (!first) return null;
  let kind = null;
  if (first[0] === '"' || first[0] === "`") kind = "text";
  else if (first[0] === "[") kind = "array";
  else if (first.startsWith("#{")) kind = "map";
  else if (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(first)) kind = kindOfName(first, before, words, depth);
  for (const link of rest) {
    if (kind === null) return null;
    if (link[0] === "[") {
      kind = ELEMENTS[kind] ?? null;
      continue;
    }
    const name = /^\.\s*([\p{L}_][\p{L}\p{N}_]*)/u.exec(link)?.[1];
    const word = words.find((one) => one.of === kind && one.name === name);
    kind = GIVES[kind]?.[name] ?? (KINDS.has(word?.signature) ? word.signature : null);
  }
  return kind;
};

/** Where a name gets its value last before here: by `let`, as what a loop goes over, or as a closure's own. */
const kindOfName = (name, before, words, depth) => {
  const found = [];
  const look = (pattern, kind) => {
    for (const match of before.matchAll(pattern)) found.push([match.index, () => kind(match)]);
  };
  const expression = (at) => /^[^;\n]*?(?=;|\n|\{\s*$|\s\{)/u.exec(before.slice(at))?.[0] ?? before.slice(at);
  const inner = (at, kind) => kindOf(kind(expression(at)), before.slice(0, at), words, depth + 1);
  look(new RegExp(`\\blet\\s+${name}\\s*=\\s*`, "gu"), (match) => {
    const end = match.index + match[0].length;
    return before.startsWith("#{", end) ? "map" : inner(end, (text) => text);
  });
  look(new RegExp(`\\bfor\\s+\\(?\\s*${name}\\s*(?:,\\s*\\w+\\s*\\))?\\s+in\\s+`, "gu"), (match) => ELEMENTS[inner(match.index + match[0].length, (text) => text)] ?? null);
  look(new RegExp(`\\.\\s*\\w+\\s*\\(\\s*\\|\\s*${name}\\s*\\|`, "gu"), (match) => ELEMENTS[kindOf(chainBefore(before.slice(0, match.index)), before.slice(0, match.index), words, depth + 1)] ?? null);
  const last = found.sort((a, b) => a[0] - b[0]).at(-1);
  if (last) return last[1]();
  return KINDS.has(name) ? name : null;
};

const TOKENS = /[\p{L}_][\p{L}\p{N}_]*|\d+(?:\.\d+)?|[^\s]/gu;
/** Whether a text decides the whole. */
const isPlan = (text) => /\bfn\s+plan\s*\(/.test(text);

/**
 * How often each word follows another in scripts of the same level: those of one's own count more than examples. Gives
 * `(word, before) => number from 0 to 99`, where `before` is the token before the word.
 */
export const habits = (examples, own, text) => {
  const single = new Map();
  const pairs = new Map();
  const count = (map, key, weight) => map.set(key, (map.get(key) ?? 0) + weight);
  const learn = (script, weight) => {
    const tokens = bare(script).match(TOKENS) ?? [];
    tokens.forEach((token, at) => {
      count(single, token, weight);
      if (at) count(pairs, `${tokens[at - 1]} ${token}`, weight);
    });
  };
  const level = isPlan(text);
  for (const script of examples) learn(script, isPlan(script) === level ? 2 : 0.25);
  for (const script of own) learn(script, isPlan(script) === level ? 3 : 0.5);
  learn(text, 3);
  return (word, before) => {
    const seen = (single.get(word) ?? 0) + 6 * (pairs.get(`${before} ${word}`) ?? 0);
    return Math.round((99 * seen) / (seen + 12));
  };
};

/** The token that ends at the end of a text. */
export const tokenBefore = (text) => (bare(text.slice(-400)).match(TOKENS) ?? []).at(-1) ?? "";
