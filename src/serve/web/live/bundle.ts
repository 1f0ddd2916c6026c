import { globSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { randomHex } from '#kernel/ids.ts';
import { sha256 } from '#kernel/sign.ts';

export type Bundle = Readonly<{
  sources: readonly (readonly [path: string, hash: string])[];
  pages: readonly Readonly<{ name: string; script: string; imports: readonly string[] }>[];
  files: readonly (readonly [name: string, code: string])[];
}>;

const SHIPPED = 'dashboard.json';

/** Loads the shipped bundle or the stored one if its sources are unchanged; otherwise builds a new one. */
export async function loadBundle(root: string): Promise<Bundle> {
  const shipped = await readBundle(join(root, SHIPPED));
  if (shipped !== undefined) return shipped;
  const folder = join(root, '.runtime');
  const kept = await readBundle(join(folder, SHIPPED));
  if (kept !== undefined && (await isCurrent(kept, root))) return kept;
  const made = await makeBundle(root);
  // If the folder is not writable, every start builds the bundle again.
  await keep(folder, made).catch(() => undefined);
  return made;
}

/** Bundles one page per folder of `dashboard`. Shared modules become chunks. */
export async function makeBundle(root: string): Promise<Bundle> {
  // A native module, which is not needed with a shipped bundle.
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(pagesIn(root).map((name) => [name, `dashboard/${name}/page.tsx`])),
    platform: 'browser',
    // The compiler's settings are not part of the image.
    tsconfig: false,
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  const { output } = await build.generate({
    format: 'esm',
    minify: true,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: 'shared-[hash].js',
  });
  await build.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  const direct = new Map(chunks.map(({ fileName, imports }) => [fileName, imports]));
  /** What a file needs before it runs: its imports, and theirs. */
  function importsOf(file: string, found = new Set<string>()): ReadonlySet<string> {
    for (const name of direct.get(file)!) if (!found.has(name)) importsOf(name, found.add(name));
    return found;
  }
  const paths = [...new Set(chunks.flatMap(({ moduleIds }) => moduleIds))]
    .filter((id) => id.startsWith(root))
    .map((id) => relative(root, id))
    .toSorted();
  return {
    sources: await Promise.all(paths.map(async (path) => [path, await hashOf(root, path)] as const)),
    pages: chunks
      .filter(({ isEntry }) => isEntry)
      .map(({ name, fileName }) => ({ name, script: fileName, imports: [...importsOf(fileName)] })),
    files: chunks.map(({ fileName, code }) => [fileName, code] as const),
  };
}

const pagesIn = (root: string): readonly string[] =>
  globSync('dashboard/*/page.tsx', { cwd: root })
    .map((path) => path.split(/[\\/]/)[1]!)
    .toSorted();

const hashOf = async (root: string, path: string): Promise<string> => sha256(await readFile(join(root, path)));

async function isCurrent({ sources, pages }: Bundle, root: string): Promise<boolean> {
  const names = pages.map(({ name }) => name).toSorted();
  if (names.join() !== pagesIn(root).join()) return false;
  const same = await Promise.all(
    sources.map(async ([path, hash]) => hash === (await hashOf(root, path).catch(() => undefined))),
  );
  return same.every(Boolean);
}

async function readBundle(file: string): Promise<Bundle | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Bundle);
}

/** Moved into place by renaming, so that no other process reads a half-written file. */
async function keep(folder: string, bundle: Bundle): Promise<void> {
  await mkdir(folder, { recursive: true });
  const draft = join(folder, `dashboard-${randomHex(6)}.json`);
  await writeFile(draft, JSON.stringify(bundle));
  await rename(draft, join(folder, SHIPPED));
}
