// Fetches the programs whose examples are tried here from Debian, into .runtime: nothing is installed on the machine.
// What cannot be had is said, and its tests skip.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pathOf, PYTHON } from './programs.mjs';

/** Debian's packages, by the program that is wanted of each. */
const PACKAGES = { nginx: 'nginx', caddy: 'caddy', promtool: 'prometheus', 'fail2ban-regex': 'fail2ban' };
const FOLDER = fileURLToPath(new URL('../../../.runtime/programs', import.meta.url));
const SECONDS = 90;

const missing = Object.entries(PACKAGES).filter(([program]) => pathOf(program) === undefined);
const say = (line) => void process.stdout.write(`${line}\n`);

function run(command, args, cwd = FOLDER) {
  const env = { ...process.env, ...PYTHON };
  execFileSync(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'], timeout: SECONDS * 1000 });
}

/** Lists and downloads of our own, so that no rights and no locks are needed. */
function apt(...args) {
  const own = ['Dir::State::lists=lists', 'Dir::Cache=cache', 'APT::Sandbox::User=root', 'Acquire::Retries=1'];
  run('apt-get', [...own.flatMap((option) => ['-o', option.replace(/=(lists|cache)$/, `=${FOLDER}/$1`)]), ...args]);
}

if (missing.length > 0) {
  try {
    for (const folder of ['lists/partial', 'cache/archives/partial'])
      mkdirSync(join(FOLDER, folder), { recursive: true });
    apt('update');
    for (const [program, name] of missing) {
      try {
        apt('download', name);
        const file = readdirSync(FOLDER).find((one) => one.startsWith(`${name}_`));
        run('dpkg', ['-x', file, 'root']);
        rmSync(join(FOLDER, file));
        run(pathOf(program), [program === 'nginx' ? '-v' : program === 'caddy' ? 'version' : '--version']);
        say(`${program}: ${pathOf(program)}`);
      } catch (error) {
        if (existsSync(join(FOLDER, 'root'))) rmSync(pathOf(program) ?? join(FOLDER, 'none'), { force: true });
        say(`${program} cannot be had, and its tests skip: ${error.message.split('\n')[0]}`);
      }
    }
  } catch (error) {
    say(
      `${missing.map(([program]) => program).join(', ')} cannot be had, and their tests skip: ${error.message.split('\n')[0]}`,
    );
  }
  for (const folder of ['lists', 'cache']) rmSync(join(FOLDER, folder), { recursive: true, force: true });
}
