import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, sources } from './source.ts';

const FOLDER = 'docs/decisions';
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const decisions = globSync('[0-9]*.md', { cwd: join(ROOT, FOLDER) })
  .toSorted()
  .map((file) => {
    const text = read(`${FOLDER}/${file}`);
    const [, number, title] = /^# (\d{4}) (.+)$/m.exec(text) ?? [];
    const [, date, state] = /^Date: (\d{4}-\d{2}-\d{2}) · State: (.+)$/m.exec(text) ?? [];
    return { file, number: number ?? '', title, date, state, text };
  });

describe('decisions', () => {
  it('are numbered without gaps', () => {
    expect(decisions.map(({ file }) => file.slice(0, 4))).toEqual(
      decisions.map((_, at) => String(at + 1).padStart(4, '0')),
    );
  });

  it.each(decisions)('$file has a title, a date, a state and the three parts', ({ file, number, state, text }) => {
    expect(file.startsWith(`${number}-`)).toBe(true);
    expect(state).toMatch(/^(?:accepted|superseded by \[\d{4}\]\(\d{4}-[a-z0-9-]+\.md\))$/);
    for (const part of ['Context', 'Decision', 'Consequences']) expect(text).toContain(`\n## ${part}\n`);
  });

  it('are each in the index, with title, date and state', () => {
    const index = read(`${FOLDER}/README.md`);
    const rows = decisions.map(({ file, number, title, date, state }) => ({
      link: `[${number} ${title}](${file})`,
      end: `| ${date} | ${state} |`,
    }));
    const missing = rows.filter(({ link, end }) => !index.split('\n').some((l) => l.includes(link) && l.endsWith(end)));
    expect(missing.map(({ link, end }) => `add ${link} … ${end} to ${FOLDER}/README.md`)).toEqual([]);
  });

  it('that comments cite exist', () => {
    const numbers = new Set(decisions.map(({ number }) => number));
    const cited = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/\bdecisions?[\s*/]+(\d+)\b/g)].map(([, number]) => ({ path, number: number! })),
    );
    expect(cited.length).toBeGreaterThan(0);
    const dead = cited.filter(({ number }) => !numbers.has(number));
    expect(dead.map(({ path, number }) => `${path} cites decision ${number}, which does not exist`)).toEqual([]);
  });
});

it('links between documents lead to files that exist', () => {
  const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT });
  const dead = documents.flatMap((path) =>
    [...read(path).matchAll(/\]\(([^)#\s:]+)(?:#[^)]*)?\)/g)]
      .map(([, link]) => link!)
      .filter((link) => /[./]/.test(link) && !existsSync(join(ROOT, normalize(join(dirname(path), link)))))
      .map((link) => `${path}: ${link}`),
  );
  expect(dead).toEqual([]);
});
