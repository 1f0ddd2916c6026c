import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** A fenced code block of a page. */
export type Block = Readonly<{ page: string; language: string; text: string }>;

/** Pages that people read; the generated reference has tests of its own (test/architecture/reference.test.ts). */
const pages = globSync(['*.md', 'docs/**/*.md', 'skills/**/*.md', '.github/**/*.md'], { cwd: ROOT })
  .filter((page) => !page.startsWith('docs/reference/'))
  .toSorted();

/** The code blocks of the pages, without the indentation of lists. */
export const blocks: readonly Block[] = pages.flatMap((page) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)].map(
    ([, indent = '', language = '', text = '']) => ({
      page,
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  ),
);

/** The block of a page that begins like this. */
export function blockOf(page: string, beginning: string): string {
  const found = blocks.filter((block) => block.page === page && block.text.startsWith(beginning));
  if (found.length !== 1) throw new Error(`${page} has ${found.length} blocks that begin with ${beginning}`);
  return found[0]!.text;
}
