// Makes dist/, what the npm package ships: Node strips no types below node_modules, so an installed Rostra is JavaScript.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, 'dist');
rmSync(out, { recursive: true, force: true });

const compiler = join(root, 'node_modules', 'typescript');
const { bin } = JSON.parse(readFileSync(join(compiler, 'package.json'), 'utf8'));
const tsc = [join(compiler, bin.tsc), '-p', join(root, 'tsconfig.build.json')];
const { status } = spawnSync(process.execPath, tsc, { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

// Pages, styles and the like keep their place beside the code that reads them.
const isAsset = (file) => extname(file) !== '.ts' && !file.endsWith('launch.mjs');
for (const folder of ['db', 'oauth', 'src', 'tools'].filter((name) => existsSync(join(root, name)))) {
  cpSync(join(root, folder), join(out, folder), { recursive: true, filter: isAsset });
}
for (const file of ['package.json', 'server-card.json'].filter((name) => existsSync(join(root, name)))) {
  cpSync(join(root, file), join(out, file));
}
