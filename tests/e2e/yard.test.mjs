// The yard: what waits and why in a sentence, a legend that filters, a layout that stays, links by their
// load, shared GPUs by their shares; and how fast a job ran.

import assert from "node:assert/strict";
import { test } from "node:test";
import { browser, finished, picture } from "./browser.mjs";

const { open } = browser();

/** Where every yard's canvas lies. */
const places = (page) =>
  page.locator(".yard canvas").evaluateAll((all) =>
    all.map((canvas) => {
      const { x, y, width, height } = canvas.getBoundingClientRect();
      return [x, y, width, height].map(Math.round).join(" ");
    }),
  );

test("a sentence says what is idle, who waits, and why the first does not start", async (t) => {
  const page = await open(t, "index.html#v=1&t=30000&run=fifo&run=tiresias-las");
  await finished(page, 2);
  const fifo = page.getByRole("region", { name: "Yard of FIFO" });
  await fifo.getByText("15 of 32 GPUs idle, 31 jobs wait: the head, lab-139, wants 16, more than are idle.").waitFor();
  await fifo.locator("dl").getByText("136").waitFor();
  assert.match(await fifo.locator("dl").innerText(), /finished\s*136\s*in use\s*53 %\s*restarts\s*0\s*whole run’s ρ\s*16\.9/);
  const las = page.getByRole("region", { name: "Yard of Tiresias 2D-LAS" });
  await las.getByText(/the one that waits longest, lab-136, wants 8/).waitFor();
});

test("a legend's class stands out until it is clicked again", async (t) => {
  const page = await open(t, "index.html#v=1&t=30000&run=fifo&colour=gpus");
  await finished(page, 1);
  await page.waitForTimeout(300);
  const canvas = page.locator(".yard canvas");
  const before = await picture(canvas);
  const legend = page.getByRole("group", { name: "What the colours stand for" });
  assert.deepEqual(await legend.getByRole("button").allInnerTexts(), [
    "1 GPU", "2–3 GPUs", "4–7 GPUs", "8–15 GPUs", "16–31 GPUs",
  ]);
  const gangs = legend.getByRole("button", { name: "8–15 GPUs" });
  await gangs.click();
  await page.waitForTimeout(300);
  assert.equal(await gangs.getAttribute("aria-pressed"), "true");
  assert.notEqual(await picture(canvas), before, "the others stand back");
  await gangs.click();
  await page.waitForTimeout(300);
  assert.equal(await picture(canvas), before, "nobody stands back");
});

test("yards make room for the chosen job, and keep their layout while time passes", async (t) => {
  const page = await open(t, "index.html#v=1&t=30000&run=fifo&run=sjf&run=las&run=srtf", {
    viewport: { width: 1440, height: 900 },
  });
  await finished(page, 4);
  const before = await places(page);
  assert.equal(new Set(before.map((place) => place.split(" ")[0])).size, 2, "four are two by two");
  const { x, y } = await page.locator(".yard canvas").first().boundingBox();
  await page.mouse.click(x + 30, y + 40);
  const inspector = await page.getByRole("region", { name: /^Job / }).boundingBox();
  await page.waitForTimeout(300);
  const beside = await places(page);
  assert.equal(new Set(beside.map((place) => place.split(" ")[0])).size, 2, "they are two by two still");
  for (const place of beside) {
    const [left, , width] = place.split(" ").map(Number);
    assert.ok(left + width <= inspector.x + 1, `${place} is not behind the job`);
  }
  await page.keyboard.press("End");
  await page.keyboard.press(".");
  await page.waitForTimeout(300);
  assert.deepEqual(await places(page), beside);
  await page.keyboard.press("Escape");
  await page.waitForTimeout(300);
  assert.deepEqual(await places(page), before, "and back");
});

test("a phone shows one yard at a time, chosen from a list", async (t) => {
  const page = await open(t, "index.html#v=1&t=30000&run=fifo&run=las", { viewport: { width: 390, height: 844 } });
  await finished(page, 2);
  const yard = (name) => page.getByRole("region", { name: `Yard of ${name}` });
  assert.ok(await yard("FIFO").isVisible());
  await page.getByRole("combobox", { name: "Scheduler shown" }).selectOption("2D-LAS, continuous");
  await yard("2D-LAS, continuous").waitFor();
  assert.ok(!(await yard("FIFO").isVisible()));
});

test("a click on a node asks what if it dies, and both futures stand side by side", async (t) => {
  const page = await open(t, "index.html#v=1&t=30000&run=fifo", { viewport: { width: 1440, height: 900 } });
  await finished(page, 1);
  await page.waitForTimeout(300);
  // Node 2's number, above its GPUs: on it stands no job.
  const canvas = page.locator(".yard canvas");
  const { x, y } = await canvas.boundingBox();
  const tooltip = page.locator("#tooltip");
  let found = false;
  for (let across = 20; across < 1150 && !found; across += 25) {
    await page.mouse.move(x + across, y + 10);
    await page.waitForTimeout(20);
    found = (await tooltip.isVisible()) && /^node 2: 0 of 4 GPUs free/.test(await tooltip.textContent());
    if (found) await page.mouse.click(x + across, y + 10);
  }
  assert.ok(found, "node 2 is on the yard");
  const question = page.getByRole("region", { name: "What if a node dies now?" });
  await question.getByText("What if node 2 dies now?").waitFor();
  await question.getByRole("button", { name: "for 1 h" }).click();
  await finished(page, 2);
  const broken = page.getByRole("region", { name: "Yard of FIFO · node 2 down for 60 min" });
  await broken.getByText(/Node 2 is down, back in 60 min\./).waitFor();
  await page.getByRole("region", { name: "Yard of FIFO", exact: true }).getByText(/15 of 32 GPUs idle/).waitFor();
  // It travels in the link, and goes like any other scheduler.
  await page.waitForFunction(() => decodeURIComponent(location.hash).includes("run=fifo if 2:"));
  const again = await open(t, `index.html${await page.evaluate(() => location.hash)}`);
  await finished(again, 2);
  await again.getByRole("region", { name: "Yard of FIFO · node 2 down for 60 min" }).waitFor();
  await page.getByRole("button", { name: "Remove FIFO · node 2 down for 60 min" }).click();
  await broken.waitFor({ state: "detached" });
});

test("nodes are edited in a form: another group, its type, racks; an impossible cluster is refused in words", async (t) => {
  const page = await open(t, "index.html#v=1&t=30000&run=fifo");
  await finished(page, 1);
  const rail = page.getByRole("complementary", { name: "Trace, schedulers and cluster" });
  await rail.getByRole("button", { name: "+ Add nodes of another kind" }).click();
  const second = rail.getByRole("group", { name: "Group 2" });
  await second.getByLabel("Nodes", { exact: true }).fill("2");
  await second.getByLabel("Nodes", { exact: true }).press("Enter");
  await second.getByLabel("GPU type").fill("h100");
  await second.getByLabel("GPU type").press("Enter");
  await rail.getByText("40 GPUs, chosen by you").waitFor();
  await rail.getByText("More", { exact: true }).click();
  assert.equal(await rail.getByLabel("As text").first().inputValue(), "8x4+2x4:h100");
  await rail.getByLabel("Racks", { exact: true }).fill("11");
  await rail.getByLabel("Racks", { exact: true }).press("Enter");
  await rail.getByText(/11 racks for 10 nodes/).waitFor();
  await rail.getByLabel("Racks", { exact: true }).fill("2");
  await rail.getByLabel("Racks", { exact: true }).press("Enter");
  await page.waitForFunction(() => decodeURIComponent(location.hash).includes("cluster=8x4+2x4:h100/racks=2"));
  await finished(page, 1);
});

const CONTENDED =
  "index.html#v=1&t=30000&run=fifo&cluster=16x4/racks=4/sockets=2/oversubscription=8&contention=true&placement=spread";

/** Moves the pointer down the middle of a rack until the tooltip says this; gives back what it says. */
async function tooltipThat(page, says, { x, from, to, step }) {
  const box = await page.locator(".yard canvas").boundingBox();
  const tooltip = page.locator("#tooltip");
  for (let y = from; y < to; y += step) {
    await page.mouse.move(box.x + x, box.y + y);
    await page.waitForTimeout(20);
    if (await tooltip.isVisible()) {
      const text = await tooltip.innerText();
      if (says.test(text)) return { text, at: [box.x + x, box.y + y] };
    }
  }
  return assert.fail(`no tooltip says ${says}`);
}

test("links are lines that say what is wanted of them and by whom", async (t) => {
  const page = await open(t, CONTENDED, { viewport: { width: 1440, height: 900 } });
  await finished(page, 1);
  await page.waitForTimeout(300);
  await page.getByText("to 80 %").waitFor();
  const { text } = await tooltipThat(page, /^rack 1's uplink/, { x: 60, from: 0, to: 40, step: 1 });
  assert.match(text, /\d{3} % of 1\.56 GB\/s wanted\s+lab-\d+: [\d.]+ GB\/s[\s\S]*more than it carries: it slows them/);
  await tooltipThat(page, /^node \d's NIC\s+\d+ % of 3\.12 GB\/s wanted/, { x: 60, from: 20, to: 80, step: 1 });
  await tooltipThat(page, /^node \d's PCIe at socket 0/, { x: 30, from: 120, to: 200, step: 1 });
  // Nobody contends: no lines, no legend.
  const plain = await open(t, "index.html#v=1&t=30000&run=fifo&cluster=16x4/racks=4");
  await finished(plain, 1);
  assert.equal(await plain.getByText("to 80 %").count(), 0);
});

test("a job that others slow says how fast it ran and what cost it time", async (t) => {
  const page = await open(t, `${CONTENDED}&job=139`, { viewport: { width: 1440, height: 900 } });
  await finished(page, 1);
  const inspector = page.getByRole("region", { name: /^Job lab-139/ });
  await inspector.getByRole("img", { name: /^Its speed over time: on average 0\.\d+ of its full speed/ }).waitFor();
  await inspector.getByText(/^On average 0\.\d+ of its full speed while it had GPUs: .* lost to$/).waitFor();
  const losses = inspector.locator(".losses button");
  assert.match(
    await losses.first().innerText(),
    /^[\d.]+ (s|min|h) rack \d's uplink; at worst 0\.\d+ of its speed: rack \d's uplink at \d+ %, 0\.\d+ of it by lab-\d+/,
  );
  const before = await page.evaluate(() => location.hash);
  await losses.first().click();
  await page.waitForFunction((before) => location.hash !== before, before);
});

test("jobs on parts of a GPU share its square", async (t) => {
  const jobs = ["job,submit,duration,gpus,gpu_milli", "a,0,1000,1,300", "b,1,1000,1,700", "c,2,1000,1,250"];
  const page = await open(t, "index.html#v=1&run=fifo&sharing=true");
  const file = { name: "parts.csv", mimeType: "text/csv", buffer: Buffer.from(jobs.join("\n")) };
  await page.getByTestId("file-picker").setInputFiles([file]);
  await page.getByText("parts.csv: 3 of 3 rows kept").waitFor();
  await finished(page, 1);
  // The clock runs: all three do from 2 s to 1,000 s.
  await page.getByText("2.75 of 4 GPUs idle, nothing waits.").waitFor();
  // From the top of its square down: b, then a below it.
  const first = await tooltipThat(page, /^b\s/, { x: 30, from: 10, to: 90, step: 1 });
  const second = await tooltipThat(page, /^a\s/, { x: 30, from: 10, to: 200, step: 1 });
  assert.ok(first.at[1] < second.at[1], "b is above a");
});

test("nodes take the width that there is", async (t) => {
  for (const [width, sample] of [[1440, "lab"], [1920, "lab"], [1440, "cluster"], [1920, "fleet"]]) {
    const page = await open(t, `index.html#v=1&t=30000&sample=${sample}&run=fifo&run=sjf`, {
      viewport: { width, height: 900 },
    });
    const canvas = page.locator(".yard canvas").first();
    await canvas.waitFor();
    await page.waitForTimeout(1_000);
    const used = await canvas.evaluate((canvas) => {
      const { width } = canvas;
      const { data } = canvas.getContext("2d").getImageData(0, 0, width, Math.floor(canvas.height / 4));
      let right = 0;
      for (let i = 3; i < data.length; i += 4) if (data[i] > 0) right = Math.max(right, ((i - 3) / 4) % width);
      return right / width;
    });
    assert.ok(used > 0.75, `${sample} at ${width}: ${used}`);
  }
});

test("a trace opens at a busy moment, not in the gap before it, and so slowly that one sees jobs come", async (t) => {
  const rows = ["job,submit,duration,gpus", "early,0,60,1"];
  for (let i = 0; i < 40; i++) rows.push(`crowd-${i},${900_000 + 30 * i},3600,4`);
  rows.push("late,2000000,60,1");
  const page = await open(t, "index.html#v=1&run=fifo&cluster=4x4");
  const file = { name: "gap.csv", mimeType: "text/csv", buffer: Buffer.from(rows.join("\n")) };
  await page.getByTestId("file-picker").setInputFiles([file]);
  await page.getByText("gap.csv: 42 of 42 rows kept").waitFor();
  await finished(page, 1);
  await page.getByText(/^(\d+|None) of \d+ GPUs idle, \d+ jobs? waits?: the head, crowd-/).waitFor();
});

test("ten classes have hues of their own, and the rest is one that stands out as well", async (t) => {
  const rows = ["job,submit,duration,gpus,tenant"];
  for (let i = 0; i < 90; i++) rows.push(`j${i},${i},3600,1,user-${Math.floor(Math.sqrt(i) * 1.3)}`);
  const page = await open(t, "index.html#v=1&run=fifo&colour=tenant");
  const file = { name: "users.csv", mimeType: "text/csv", buffer: Buffer.from(rows.join("\n")) };
  await page.getByTestId("file-picker").setInputFiles([file]);
  await page.getByText("users.csv: 90 of 90 rows kept").waitFor();
  await finished(page, 1);
  const legend = page.getByRole("group", { name: "What the colours stand for" });
  const entries = legend.getByRole("button");
  await entries.nth(10).waitFor();
  const colours = await entries.locator("i").evaluateAll((all) => all.map((i) => getComputedStyle(i).backgroundColor));
  assert.equal(new Set(colours).size, 11, colours.join(" "));
  const others = legend.getByRole("button", { name: /^\d others$/ });
  await others.click();
  assert.equal(await others.getAttribute("aria-pressed"), "true");
});

test("by keyboard alone: arrows go from job to job and say which, Enter chooses one", async (t) => {
  const page = await open(t, "index.html#v=1&t=30000&run=fifo");
  await finished(page, 1);
  const canvas = page.getByRole("application", { name: /^Nodes and queue under FIFO .* Arrow keys go from job to job/ });
  const tooltip = page.locator("#tooltip");
  const said = page.locator("#said");
  // To the canvas without the mouse: by Tab, from the last control before it.
  await page.getByLabel("Colour by").focus();
  for (let i = 0; i < 40 && !(await canvas.evaluate((canvas) => canvas === document.activeElement)); i += 1) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Home");
  const first = (await said.textContent()).split(",")[0];
  assert.match(first, /^lab-\d+$/);
  assert.match(await tooltip.textContent(), new RegExp(`^${first}\n`), "those who see it read the same");
  await page.keyboard.press("ArrowRight");
  const second = (await said.textContent()).split(",")[0];
  assert.notEqual(second, first);
  await page.keyboard.press("Home");
  assert.equal((await said.textContent()).split(",")[0], first, "and back");
  // Down through all nodes to those who wait.
  for (let i = 0; i < 20 && !/waiting for/.test(await said.textContent()); i += 1) await page.keyboard.press("ArrowDown");
  assert.match(await said.textContent(), /waiting for/);
  const waits = (await said.textContent()).split(",")[0];
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: `Job ${waits}` }).waitFor();
  assert.equal(await said.textContent(), `${waits} is chosen`);
  await page.keyboard.press("Escape");
  await page.getByRole("region", { name: /^Job / }).waitFor({ state: "detached" });
});

test("nodes too small to draw return once there is room", async (t) => {
  const link = "index.html#v=1&sample=lab&cluster=2000x8/racks=500/partitions=50&run=fifo&t=0";
  const page = await open(t, link, { viewport: { width: 800, height: 60 } });
  await finished(page, 1);
  const yard = page.getByRole("region", { name: "Yard of FIFO" });
  await yard.getByText(/of 16,000 GPUs idle/).waitFor();
  await page.setViewportSize({ width: 800, height: 600 });
  await page.waitForFunction(() => document.querySelector(".yard canvas").height > 100);
});

test("schedulers' names and the sentence's job are read whole beside a chosen job, and floors begin on one line", async (t) => {
  const three = "index.html#v=1&sample=lab&t=30000&run=fifo&run=tiresias-las&run=srtf";
  for (const [link, width] of [[`${three}&job=12`, 1440], [three, 1440], [three, 1300], [`${three}&job=12`, 1920], [three, 390]]) {
    const page = await open(t, link, { viewport: { width, height: 900 } });
    await finished(page, 3);
    await page.locator(".situation [data-job]").first().waitFor();
    const seen = await page.evaluate(() => {
      const shown = (of) => [...document.querySelectorAll(of)].filter((element) => element.offsetParent);
      const inside = (element, within) => {
        const [own, frame] = [element.getBoundingClientRect(), within.getBoundingClientRect()];
        return own.left >= frame.left && own.right <= frame.right && own.top >= frame.top - 1 && own.bottom <= frame.bottom + 1;
      };
      const parts = shown(".yard h2 > *");
      return {
        cut: parts.filter((part) => part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).display !== "inline").map((part) => part.textContent),
        outside: [...parts, ...shown(".situation [data-job]")].filter((part) => !inside(part, part.closest("h2, .situation"))).map((part) => part.textContent),
        tops: new Set(shown(".yard canvas").map((canvas) => Math.round(canvas.getBoundingClientRect().top))).size,
        yards: shown(".yard").length,
      };
    });
    assert.deepEqual(seen, { cut: [], outside: [], tops: 1, yards: width === 390 ? 1 : 3 }, `${width}: ${link}`);
  }
});
