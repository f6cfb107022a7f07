// The security policies that docs/hosting.md names, and what they forbid of a page.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const guide = readFileSync(fileURLToPath(new URL("../../docs/hosting.md", import.meta.url)), "utf8");

/** What stands in the first block of code of a kind in docs/hosting.md. */
export const snippet = (kind) => guide.match(new RegExp(`\`\`\`${kind}\\n([\\s\\S]*?)\`\`\``))[1].trim();

/** The header's strict policy. */
export const POLICY = snippet("http").replace(/^Content-Security-Policy: /, "");

export const TRUSTED_TYPES = "require-trusted-types-for 'script'; trusted-types switchyard";

/** Has a page note in `violations` what its policies forbid, as it tells by events. */
export async function violations(page) {
  await page.addInitScript(() => {
    globalThis.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => {
      violations.push(`${event.effectiveDirective}: ${event.blockedURI} ${event.sample}`);
    });
  });
}
