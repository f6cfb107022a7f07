// The certificate (lessons/src/page.rs has its questions and answers): one's own guesses beside them, out of its link, or
// out of this browser if the link has none. The link is all of it: nobody else keeps it, and it proves nothing.

import { forget, kept, ofLink, toLink } from "./progress.js";

const asked = [...document.querySelectorAll(".asked")];
const field = document.getElementById("name");
const told = document.getElementById("told");
const summary = document.getElementById("summary");
const isOwn = !ofLink(location.hash).lessons.size;

const own = () => asked.map(({ dataset: { lesson, mark } }) => [lesson, kept(lesson, mark)]);

function show() {
  const { name, lessons } = isOwn ? { name: field.value.trim(), lessons: new Map(own()) } : ofLink(location.hash);
  if (!isOwn) field.value = name;
  const sum = { guesses: 0, right: 0, goals: 0, allGuesses: 0, allGoals: 0 };
  for (const section of asked) {
    const { lesson, mark, goals } = section.dataset;
    const of = lessons.get(lesson);
    const isSame = of?.mark === mark;
    section.querySelector(".changed").hidden = !of || isSame;
    const reached = isSame ? of.goals.slice(0, Number(goals)).filter(Boolean).length : 0;
    const questions = [...section.querySelectorAll(".question-asked")];
    let guessed = 0;
    questions.forEach((question, at) => {
      const choice = isSame ? of.guesses[at] : null;
      const choices = [...question.querySelectorAll("li")];
      const mine = choices[choice];
      question.classList.toggle("open", !mine);
      choices.forEach((one) => {
        one.classList.toggle("mine", one === mine);
        one.querySelector(".whose").textContent = one === mine ? " (guessed)" : "";
      });
      if (!mine) return;
      guessed += 1;
      if (mine.dataset.right !== undefined) sum.right += 1;
    });
    section.querySelector(".reached").textContent = `${guessed} of ${questions.length} guessed, ${reached} of ${goals} ${goals === "1" ? "goal" : "goals"} reached`;
    sum.guesses += guessed;
    sum.allGuesses += questions.length;
    sum.goals += reached;
    sum.allGoals += Number(goals);
  }
  const who = name || (isOwn ? "You" : "Somebody");
  summary.textContent = sum.guesses + sum.goals
    ? `${who} guessed ${sum.guesses} of ${sum.allGuesses} times, ${sum.right} times right, and reached ${sum.goals} of ${sum.allGoals} goals.`
    : "Nothing is guessed yet: begin with the first lesson.";
  if (isOwn && sum.guesses + sum.goals) history.replaceState(null, "", `#${toLink(own(), name)}`);
}

if (isOwn) field.addEventListener("input", show);
else field.closest("p").hidden = true;
document.getElementById("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    told.textContent = "The link is copied.";
  } catch {
    told.textContent = "The link is in the address bar.";
  }
  document.getElementById("copied").textContent = told.textContent;
});
document.getElementById("anew").addEventListener("click", () => {
  forget();
  location.replace(location.pathname);
});
document.getElementById("anew").hidden = !isOwn;
addEventListener("hashchange", () => location.reload());
show();
