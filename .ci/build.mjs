// Makes dist/, what the npm package ships: one bundle of the program and its pure JavaScript dependencies, cut where
// modules are loaded on demand. Node strips no types below node_modules, and a few files load faster than two thousand.
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { makeBundle } from '../src/serve/web/live/bundle.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, 'dist');
/** Loaded from node_modules: native code, what loads native code, and what is loaded by `require`. */
const EXTERNAL = /^(?:@node-rs\/argon2|better-sqlite3|libheif-js|pg|rolldown|sharp|temporal-polyfill)(?:$|\/)/;
/** Chunks lie as deep as the modules that ask for package.json and the like by a relative path. */
const CHUNKS = 'src/chunks';
/**
 * V8 keeps a file with any other character as UTF-16. An escape means the same in strings, templates and patterns, and
 * in a raw template that becomes a pattern; of others, the program has none.
 */
const asciiOnly = {
  name: 'ascii-only',
  renderChunk(code) {
    if (/\\[^\0-\x7f]/.test(code)) throw new Error('a backslash before such a character would change its escape');
    return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  },
};
const ASSETS = [
  'src/serve/web/kit/styles',
  'src/serve/web/kit/icons.svg',
  'src/serve/web/upload/choose-file.js',
  'src/cli/hello.png',
  'src/engine/verify/sample.jpg',
  'src/engine/verify/sample.mp4',
];

rmSync(out, { recursive: true, force: true });
await build({
  cwd: root,
  input: {
    main: 'src/main.ts',
    receiver: 'src/receiver.ts',
    // Beside the chunk that starts it.
    'chunks/picture-process': 'src/engine/media/pictures/picture-process.ts',
  },
  platform: 'node',
  external: EXTERNAL,
  plugins: [asciiOnly],
  // A dependency names a deprecated function's caller by `eval`.
  checks: { eval: false },
  output: {
    dir: out,
    format: 'esm',
    entryFileNames: 'src/[name].js',
    chunkFileNames: `${CHUNKS}/[name].js`,
    // Names stay as they are, so that a stack trace can be read.
    minify: false,
    comments: { jsdoc: false },
  },
});
for (const file of ASSETS) cpSync(join(root, file), join(out, CHUNKS, basename(file)), { recursive: true });
for (const file of ['package.json', 'server-card.json', 'skills']) {
  cpSync(join(root, file), join(out, file), { recursive: true });
}
writeFileSync(join(out, 'dashboard.json'), JSON.stringify(await makeBundle(root)));
// For the first start of this folder's program; the package has none, because it depends on the version of Node.
execFileSync(process.execPath, [join(out, 'src', 'main.js'), 'compile']);
