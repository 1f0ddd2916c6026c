import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };

export type Source = Readonly<{
  /** Below the root, with forward slashes. */
  path: string;
  text: string;
  /** The same lines without comments. */
  code: string;
  lines: number;
  imports: readonly Import[];
}>;

export type Import = Readonly<{
  /** The file below the root, or the name of a package without its sub-path. */
  target: string;
  isPackage: boolean;
  typeOnly: boolean;
  /** As the file has it. */
  written: string;
}>;

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** `#kernel/…` and the like, with the folder each stands for. */
export const ALIASES: readonly Readonly<{ alias: string; folder: string }>[] = Object.entries(packageJson.imports).map(
  ([alias, folder]) => ({ alias: alias.replace('*', ''), folder: folder.replace(/^\.\/|\*$/g, '') }),
);

const STATIC = /^[ \t]*(?:import|export)\s+(type\s+)?(?:([\w*\s{},$]+?)\s+from\s+)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

/** Every file of the product, tests left out. */
export const sources: readonly Source[] = globSync('{db,oauth,sandbox,src,tools}/**/*.ts', { cwd: ROOT })
  .map((path) => path.replaceAll('\\', '/'))
  .sort()
  .map(readSource);

/** The paths of all tests and of what they are made with. */
export const tests: readonly string[] = globSync('test/**/*.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] });

export function sourcesIn(folder: string): readonly Source[] {
  return sources.filter(({ path }) => path.startsWith(`${folder}/`));
}

function readSource(path: string): Source {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const code = withoutComments(text);
  return { path, text, code, lines: text.split('\n').length - 1, imports: importsOf(path, code) };
}

/** Reads the imports out of a file, as Node's type stripping would see them. */
export function importsOf(path: string, code: string): readonly Import[] {
  const fixed = [...code.matchAll(STATIC)].map(([, type, names, target]) => {
    return importOf(path, target!, type !== undefined || isTypesOnly(names));
  });
  const dynamic = [...code.matchAll(DYNAMIC)].map(([, target]) => importOf(path, target!, false));
  return [...fixed, ...dynamic];
}

function isTypesOnly(names: string | undefined): boolean {
  const list = /^\{([^}]*)\}$/.exec(names?.trim() ?? '')?.[1];
  const parts =
    list
      ?.split(',')
      .map((name) => name.trim())
      .filter(Boolean) ?? [];
  return parts.length > 0 && parts.every((name) => name.startsWith('type '));
}

function importOf(path: string, written: string, typeOnly: boolean): Import {
  if (written.startsWith('.')) return { target: join(dirname(path), written), isPackage: false, typeOnly, written };
  const room = ALIASES.find(({ alias }) => written.startsWith(alias));
  if (room) {
    const target = room.folder + written.slice(room.alias.length);
    return { target, isPackage: false, typeOnly, written };
  }
  const name = written.startsWith('@') ? written.split('/').slice(0, 2).join('/') : written.split('/')[0]!;
  return { target: name, isPackage: true, typeOnly, written };
}

/** Blanks comments out and keeps the lines; quotes, templates and regular expressions are stepped over. */
export function withoutComments(text: string): string {
  const token =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[=(,:[!&|?{};\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\//g;
  return text.replaceAll(token, (found) => (/^\/[*/]/.test(found) ? found.replaceAll(/[^\n]/g, ' ') : found));
}
