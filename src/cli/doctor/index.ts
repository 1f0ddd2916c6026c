import { parseArgs } from 'node:util';
import { endingVersions } from '#engine/readiness/versions.ts';
import { systemClock } from '#kernel/clock.ts';
import { readConfig, type Config } from '#kernel/config/config.ts';
import { makeLog } from '#kernel/log.ts';
import { platforms } from '#platforms/index.ts';
import { appOf } from '#platforms/lookup.ts';
import { checkFolder, checkMachine } from './machine.ts';
import { checkMail } from './mail.ts';
import { checkNetwork } from './network.ts';
import { checkStore } from './store.ts';
import { ok, warning, type CheckResult } from '#engine/readiness/checks.ts';

/** Exit codes: all is well, only warnings, something does not work. */
const EXIT = Object.freeze({ ok: 0, warning: 1, failure: 2 });

/** Checks an installation from outside its server and prints a cure for each fault. Changes nothing. */
export async function doctor(args: readonly string[]): Promise<void> {
  process.exitCode = EXIT.failure;
  const { values } = parseArgs({
    args: [...args],
    options: { json: { type: 'boolean', default: false }, full: { type: 'boolean', default: false } },
  });
  const config = readConfig(platforms.values());
  const log = makeLog({ level: 'error' }, process.stderr);
  const folder = checkFolder(config.dataDir);
  const results = [
    ...(folder === undefined ? checkMachine(config) : [folder]),
    ...(folder === undefined || config.databaseUrl !== undefined ? await checkStore(config, log, values.full) : []),
    ...(await checkNetwork(config)),
    ...(await checkMail(config)),
    ...checkVersions(config),
  ];
  process.stdout.write(values.json ? `${JSON.stringify(results, undefined, 2)}\n` : reportOf(results));
  const verdicts = new Set(results.map(({ verdict }) => verdict));
  const worst = (['failure', 'warning'] as const).find((one) => verdicts.has(one)) ?? 'ok';
  process.exitCode = EXIT[worst];
}

/** Checks the API versions of the platforms whose apps are configured. */
function checkVersions({ credentials, platformSettings }: Config): readonly CheckResult[] {
  const used = [...platforms.values()].filter((platform) => credentials[appOf(platform)] !== undefined);
  const ending = endingVersions(used, platformSettings, systemClock.now());
  if (ending.length === 0) return [ok('API versions', 'none ends within 60 days')];
  return ending.map(({ what, cure }) => warning('API versions', what, cure));
}

function reportOf(results: readonly CheckResult[]): string {
  const widest = Math.max(...results.map(({ check }) => check.length));
  const lines = results.map(({ check, verdict, found, todo }) => {
    const line = `${verdict.padEnd(7)}  ${check.padEnd(widest)}  ${found}`;
    return todo === undefined ? line : `${line}\n${' '.repeat(widest + 11)}→ ${todo}`;
  });
  const bad = results.filter(({ verdict }) => verdict !== 'ok').length;
  const sum = bad === 0 ? 'nothing to do' : `${bad} to look at`;
  return `${lines.join('\n')}\n${results.length} checks, ${sum}\n`;
}
