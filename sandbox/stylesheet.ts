export const STYLESHEET = `
:root {
  --ground: #f4f5f3; --paper: #fff; --ink: #1d211c; --quiet: #5a6257; --line: #d6dad2; --field: #858d80;
  --accent: #1c6b45; --accent-ink: #fff; --bad: #b3261e; --note-ground: #fff4dc; --note-line: #e0b95f; --note: #6f4600;
  color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #131612; --paper: #1c201b; --ink: #e7ebe4; --quiet: #a5aea0; --line: #363d33; --field: #7c8577;
    --accent: #83d3a8; --accent-ink: #0c2417; --bad: #ff9c92; --note-ground: #332813; --note-line: #6b5423; --note: #ffd68a;
  }
}
*, ::before, ::after { box-sizing: border-box; }
body { background: var(--ground); color: var(--ink); margin: 0 auto; max-width: 66rem; overflow-wrap: anywhere; padding: 1rem; }
a { color: var(--accent); }
:focus-visible { border-radius: .25rem; outline: 3px solid var(--accent); outline-offset: 2px; }
body > header { border-bottom: 1px solid var(--line); margin-bottom: 1.25rem; padding-bottom: .6rem; }
body > header p { color: var(--quiet); font-size: .9rem; margin: 0; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; }
nav a[aria-current] { color: var(--ink); font-weight: 650; text-decoration: none; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.25rem; margin: 0 0 .5rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
section { background: var(--paper); border: 1px solid var(--line); border-radius: .75rem; margin-block: 1.25rem; padding: 1rem clamp(.8rem, 3vw, 1.5rem); }
section > p { margin: .75rem 0; }
section > h2 + p { margin-top: 0; }
table { border-collapse: collapse; width: 100%; }
th, td { border-top: 1px solid var(--line); overflow-wrap: break-word; padding: .4rem .6rem .4rem 0; text-align: start; vertical-align: top; }
th { border: 0; color: var(--quiet); font-size: .85rem; font-weight: 600; white-space: nowrap; }
td code, td small { overflow-wrap: anywhere; }
article { background: var(--paper); border: 1px solid var(--line); border-radius: .6rem; margin-block: .75rem; padding: .6rem .9rem; }
article p { margin: .2rem 0; white-space: pre-wrap; }
article img, article video { border-radius: .4rem; display: block; max-height: 16rem; max-width: 100%; }
.said { border-inline-start: 3px solid var(--line); margin: .5rem 0; padding-inline-start: .75rem; }
.said.own { border-color: var(--accent); }
code { background: var(--ground); border-radius: .25rem; font: .9em ui-monospace, monospace; padding: .05rem .3rem; }
section code { user-select: all; }
time { white-space: nowrap; }
small, .quiet { color: var(--quiet); }
small { font-size: .85rem; }
.bad { color: var(--bad); }
.badge { display: inline-block; border: 1px solid var(--line); border-radius: 1rem; color: var(--quiet); font-size: .8rem; font-weight: 400; padding: 0 .5rem; }
.note { background: var(--note-ground); border: 1px solid var(--note-line); border-radius: .5rem; color: var(--note); padding: .6rem .9rem; }
.plays { display: grid; gap: .5rem; grid-template-columns: repeat(auto-fill, minmax(min(18rem, 100%), 1fr)); }
.plays details { border: 1px solid var(--line); border-radius: .5rem; padding: .4rem .7rem; }
.plays details[open] { grid-column: 1 / -1; }
summary { color: var(--accent); cursor: pointer; width: fit-content; }
details[open] > summary { margin-bottom: .5rem; }
.offers { align-items: center; display: flex; flex-wrap: wrap; font-size: .95rem; gap: .25rem 1.25rem; margin-top: .35rem; }
.offers details[open] { flex-basis: 100%; }
form { align-items: end; display: flex; flex-wrap: wrap; gap: .6rem .75rem; margin-bottom: .5rem; }
label { display: grid; font-size: .9rem; gap: .1rem; grid-template-columns: minmax(0, 1fr); max-width: 100%; min-width: 0; }
label.wide { flex: 1 1 20rem; }
label.tick { align-items: baseline; display: flex; gap: .5rem; min-height: 1.75rem; }
input, select, textarea, button, .button {
  background: var(--paper); border: 1px solid var(--field); border-radius: .4rem; color: inherit; font: inherit;
  max-width: 100%; padding: .35rem .6rem;
}
textarea { width: 100%; }
input[type='number'] { width: 6.5rem; }
input[type='checkbox'], input[type='radio'] { accent-color: var(--accent); flex: none; }
button, .button { cursor: pointer; display: inline-block; font-weight: 600; text-decoration: none; }
.primary { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
fieldset { background: var(--paper); border: 1px solid var(--line); border-radius: .6rem; margin: 0 0 1rem; min-width: 0; padding: .6rem .9rem; }
legend { float: inline-start; font-weight: 600; padding: 0 0 .3rem; width: 100%; }
legend + * { clear: both; }
.dialog { display: block; max-width: 34rem; }
.choice { margin: .3rem 0 .6rem; }
.choice > .tick { font-size: 1rem; font-weight: 600; }
.choice .of { margin: .2rem 0 0 1.7rem; }
.choice:has(> .tick > input:not(:checked)) .of label { opacity: .7; }
.buttons { display: flex; flex-wrap: wrap; gap: .6rem; }
/* Where columns do not fit, show each row of a table as a card. */
@media (max-width: 44rem) {
  table, tbody, tr, td { display: block; }
  thead { display: none; }
  tr { border-top: 1px solid var(--line); padding: .5rem 0; }
  td { border: 0; padding: .05rem 0; }
  article { padding: .5rem .65rem; }
}
`;
