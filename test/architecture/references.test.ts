import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, sources, tests, withoutComments } from './source.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const decisions = globSync('docs/decisions/*.md', { cwd: ROOT }).map((path) => path.split('/').at(-1)!);
const pages = globSync(['*.md', '.github/**/*.md', 'docs/**/*.md'], { cwd: ROOT }).map((path) => ({
  path,
  text: read(path).replaceAll(/^```[\s\S]*?^```/gm, ''),
}));

/** The anchors of a page, as GitHub makes them of its headings. */
function anchorsOf(path: string): ReadonlySet<string> {
  const headings = [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!.toLowerCase());
  return new Set(headings.map((heading) => heading.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-')));
}

/** The comments of a file; its lines stay where they are. */
function commentsIn(text: string): string {
  const code = withoutComments(text);
  return text.replaceAll(/[^\n]/g, (character, at: number) => (character === code[at] ? ' ' : character));
}

/** Whether there is a file, and in a page the heading of its anchor; `from` is the folder that the reference is below. */
function isThere(reference: string, from: string): boolean {
  const [file = '', anchor] = reference.split('#');
  const path = join(from, file);
  return existsSync(join(ROOT, path)) && (anchor === undefined || anchorsOf(path).has(anchor));
}

/** The decisions that a text names by number and that are not there. */
const missingDecisions = (text: string): readonly string[] =>
  [...text.matchAll(/\bdecisions? (\d+)/gi)]
    .filter(([, number]) => !decisions.some((name) => name.startsWith(`${number!.padStart(4, '0')}-`)))
    .map(([named]) => named);

/** What a text cites of papers that are not in the repository. */
const papersIn = (text: string): readonly string[] =>
  [...text.matchAll(/\brulings?\b|\(spec\b|(?<!\bRFC \d{1,5} ?)§/gi)].map(([paper]) => paper);

/** The dead references in the comments of a file, and those in its other texts, such as messages, to our pages. */
function flawsOf(text: string): readonly string[] {
  const comments = commentsIn(text);
  const named = [...comments.matchAll(/[\w./<>-]+\.md(?:#[\w-]+)?/g), ...text.matchAll(/\bdocs\/[\w./-]+\.md/g)];
  const pagesNamed = new Set(named.map(([reference]) => reference).filter((reference) => !reference.includes('<')));
  const gone = [...pagesNamed].filter((name) => !isThere(name, ''));
  return [...gone, ...papersIn(comments), ...missingDecisions(comments)];
}

describe('references', () => {
  it('of code lead to pages, sections and decisions that are there, and to no other paper', () => {
    const own = 'test/architecture/references.test.ts';
    const files = [...sources, ...tests.filter((path) => path !== own).map((path) => ({ path, text: read(path) }))];
    const flaws = files.flatMap(({ path, text }) => flawsOf(text).map((flaw) => `${path}: ${flaw}`));
    expect(flaws).toEqual([]);
  });

  it('of pages lead to files, sections and decisions that are there, and to no other paper', () => {
    const flaws = pages.flatMap(({ path, text }) => {
      const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
      const inside = links.filter((target) => !/^[a-z]+:/.test(target));
      const folder = dirname(path);
      const dead = inside.filter((target) => !isThere(target, target.startsWith('#') ? path : folder));
      const named = [...text.matchAll(/`(docs\/[\w./-]+\.md(?:#[\w-]+)?)`/g)].map(([, target]) => target!);
      const gone = named.filter((target) => !isThere(target, ''));
      return [...dead, ...gone, ...papersIn(text), ...missingDecisions(text)].map((flaw) => `${path}: ${flaw}`);
    });
    expect(flaws).toEqual([]);
  });

  it('are found in comments, and in other texts where they name a page of ours', () => {
    const text =
      "const a = 'a.md, docs/a.md'; // README.md#start, README.md#no\n/** (spec §2), RFC 9110 § 14, decision 9999 */";
    expect(flawsOf(text)).toEqual(['README.md#no', 'docs/a.md', '(spec', '§', 'decision 9999']);
  });
});
