// A trace that tells absolute time shows dates: of which zone, or none, is chosen once, and links hold it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accessibilityProblems, browser, finished, give, screenshot, table } from "./browser.mjs";

const { open } = browser();

const DAY = 86_400;

/** Thursday 28 March 2024, 09:00 UTC: the clocks of Europe go forward on the Sunday after it. */
const BEGIN = Date.UTC(2024, 2, 28, 9) / 1000;

/** Jobs of a week and a half, as a log without zones has them. */
const log = () => {
  const job = (i) => {
    const submit = new Date((BEGIN + i * 4 * 3600) * 1000).toISOString().slice(0, 19).replace("T", " ");
    return `job-${i},${submit},${3 * 3600 + (i % 5) * 5000},${1 + (i % 4)}`;
  };
  return table("dated.csv", ["job_id,submit_time,duration,gpus", ...Array.from({ length: 60 }, (_, i) => job(i))]);
};

/** A moment as the page should say it, by the test's own `Intl`. */
const said = (t, timeZone) => {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone, weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23",
  }).formatToParts(new Date((BEGIN + t) * 1000));
  const of = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  return `${of.weekday} ${of.day} ${of.month} ${of.hour}:${of.minute}`;
};

const param = (page, name) => page.evaluate((name) => new URLSearchParams(location.hash.slice(1)).get(name), name);
const has = (page, part) => page.waitForFunction((part) => location.hash.includes(part), part);
const clock = (page) => page.getByTestId("clock");
const reads = (page, text) =>
  page.waitForFunction((text) => document.querySelector("[data-testid=clock]").textContent === text, text);

/** The page with the log open, the clock at an event. */
const opened = async (t, options = {}, view = "compare") => {
  const page = await open(t, `index.html#v=1&view=${view}&run=fifo&run=srtf`, { timezoneId: "America/New_York", ...options });
  await give(page, log());
  await page.getByRole("group", { name: "How times are shown" }).waitFor();
  await finished(page, 2);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Step to the event before" }).click();
  // The address follows the clock once that has stood still for a while.
  for (let last = null, now = ""; now !== last; ) {
    last = now;
    await page.waitForTimeout(1000);
    now = await param(page, "t");
  }
  return page;
};

/** What stands below a chart over time, from left to right, and how much of it overlaps. */
const marks = async (page) => {
  const svg = page.locator(".chart", { has: page.getByRole("heading", { name: "Queue length" }) }).locator("svg[role=img]");
  return svg.evaluate((svg) => {
    const texts = [...svg.querySelectorAll("text")].map((of) => ({ text: of.textContent, ...of.getBoundingClientRect().toJSON() }));
    const title = texts.find(({ text }) => /^(date and time|time since)/.test(text));
    const row = texts.filter(({ bottom, text }) => bottom <= title.top + 4 && bottom > title.top - 30 && !/^[\d,]+$/.test(text));
    row.sort((a, b) => a.left - b.left);
    const box = svg.getBoundingClientRect();
    const clashes = row.filter(({ left, right }, i) => (i > 0 && left < row[i - 1].right) || left < box.left || right > box.right + 0.5);
    const shades = svg.querySelectorAll("rect[fill-opacity='0.07']").length;
    return { title: title.text, row: row.map(({ text }) => text), clashes: clashes.map(({ text }) => text), shades };
  });
};

test("a trace with dates shows them, in the zone that is chosen, and days where they are wanted", async (t) => {
  const page = await opened(t);
  const time = Number(await param(page, "t"));
  await reads(page, said(time, "UTC"));
  assert.match(await clock(page).getAttribute("title"), / 2024 \d\d:\d\d:\d\d$/);
  const utc = await marks(page);
  assert.equal(utc.title, "date and time, UTC");
  assert.ok(utc.row.includes("Mon 1 Apr"), utc.row.join());
  assert.ok(utc.row.every((text) => /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d+ (Mar|Apr)$/.test(text)), utc.row.join());
  assert.deepEqual(utc.clashes, []);
  assert.ok(utc.shades >= 1, "weekends are shaded");
  assert.deepEqual(await accessibilityProblems(page), []);

  // This browser's zone is there to be chosen, and all others; clocks go forward in Berlin meanwhile.
  const zone = page.getByLabel("Time zone");
  assert.equal(await zone.locator("optgroup[label=Here] option").textContent(), "America/New_York");
  await zone.selectOption("Europe/Berlin");
  await has(page, "zone=Europe%2FBerlin");
  await reads(page, said(time, "Europe/Berlin"));
  assert.equal((await marks(page)).title, "date and time, Europe/Berlin");
  await page.reload();
  await finished(page, 2);
  await reads(page, said(time, "Europe/Berlin"));
  await page.keyboard.press("4");
  for (const [job, at] of [["job-0", 0], ["job-59", 59 * 4 * 3600]]) {
    await page.getByLabel("Filter jobs").fill(job);
    const cell = page.getByRole("row", { name: new RegExp(`^${job} `) }).getByRole("gridcell").nth(4);
    assert.equal(await cell.textContent(), said(at, "Europe/Berlin"));
  }
  await page.keyboard.press("Escape");
  await page.goto(`${page.url().replace(/&jobs-filter=[^&]*/, "").replace("view=jobs", "view=compare")}`);

  await page.getByRole("button", { name: "Days", exact: true }).click();
  await has(page, "times=days");
  await page.waitForFunction(() => /^(day \d+, )?\d\d:\d\d:\d\d$/.test(document.querySelector("[data-testid=clock]").textContent));
  const days = await marks(page);
  assert.equal(days.title, "time since the first submission");
  assert.equal(days.shades, 0);
  assert.equal(await zone.count(), 0);
  await page.getByRole("button", { name: "Days", exact: true }).click();
  await reads(page, said(time, "Europe/Berlin"));
  assert.equal(await param(page, "times"), null);
});

test("weekends are shaded behind the timeline while days are wide enough", async (t) => {
  const page = await opened(t, {}, "timeline");
  const canvas = page.locator(".timeline canvas").first();
  const differ = (from, to) =>
    canvas.evaluate((canvas, [from, to, friday, saturday]) => {
      const ratio = canvas.width / canvas.getBoundingClientRect().width;
      const [left, width] = [56 * ratio, canvas.width - 64 * ratio];
      const pixel = (time) => {
        const x = left + (width * (time - from)) / (to - from);
        return canvas.getContext("2d").getImageData(Math.round(x), Math.round(50 * ratio), 1, 1).data.join();
      };
      return pixel(friday) !== pixel(saturday);
    }, [from, to, 1.1 * DAY, 2.1 * DAY]);
  const show = async (from, to, more = "") => {
    const link = page.url().replace(/&(zoom|t|times)=[^&]*/g, "");
    await page.goto(`${link}${more}&t=0&zoom=${from}..${to}`);
    await page.waitForTimeout(400);
  };
  await show(0, 5 * DAY);
  assert.ok(await differ(0, 5 * DAY), "Saturday is darker than Friday");
  await show(0, 5 * DAY, "&times=days");
  assert.equal(await differ(0, 5 * DAY), false, "days since the start have no weekends");
});

test("a link's zone that there is not is complained about, and traces without dates offer none", async (t) => {
  const page = await open(t, "index.html#v=1&sample=lab&run=fifo&zone=Mars/Base");
  await page.getByText("there is no such time zone").waitFor();
  await finished(page, 1);
  assert.equal(await page.getByRole("group", { name: "How times are shown" }).count(), 0);
  assert.match(await clock(page).textContent(), /^(day \d+, )?\d\d:\d\d:\d\d$/);
});

for (const colorScheme of ["light", "dark"]) {
  for (const [width, height] of [[1440, 900], [390, 844]]) {
    test(`dates fit ${width} pixels, ${colorScheme}`, async (t) => {
      const page = await opened(t, { viewport: { width, height }, colorScheme }, "timeline");
      for (const [view, key] of [["timeline", "2"], ["compare", "3"], ["jobs", "4"], ["yard", "1"]]) {
        await page.keyboard.press(key);
        await page.waitForTimeout(300);
        await screenshot(page, `dates-${view}-${width}-${colorScheme}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${view} is ${wide} wide`);
        if (view === "compare") assert.deepEqual((await marks(page)).clashes, []);
      }
      const box = await page.getByRole("group", { name: "How times are shown" }).boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= width, "the choice is within the page");
    });
  }
}
