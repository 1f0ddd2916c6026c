import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CrashPoint } from '#call/ports.ts';
import { fileClock, systemClock, type Clock } from '#kernel/clock.ts';
import { readConfig, type Config } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/reader.ts';
import { makeLog, type Log } from '#kernel/log.ts';
import type { Sealer } from '#kernel/seal.ts';
import { tableOf } from '#kernel/text/table.ts';
import { openDataDir, openKeyRing } from '#compose/keyring.ts';
import { platforms } from '#platforms/index.ts';

export type CliWorld = Readonly<{ config: Config; clock: Clock; log: Log; sealer: Sealer; crash: CrashPoint }>;

/** Reads settings and opens data folder and key ring: the start of every command. */
export function openWorld(options: Options = {}): CliWorld {
  const basics = openCliBasics(options);
  return { ...basics, sealer: openKeyRing(basics.config), crash: crashAt(basics.config.crashAt) };
}

type Options = Readonly<{ logTo?: { write(line: string): void } }>;

/** The same without the key ring. */
export function openCliBasics({ logTo }: Options = {}): Omit<CliWorld, 'sealer' | 'crash'> {
  const config = readConfig(platforms.values());
  openDataDir(config.dataDir);
  return { config, clock: clockOf(config), log: makeLog(config.log, logTo) };
}

const readText = (file: string) => readFileSync(file, 'utf8');

export function clockOf({ clockFile }: Config): Clock {
  return clockFile === undefined ? systemClock : fileClock(clockFile, readText);
}

/** Kills the process, or sends it another signal, at the nth pass of a point; `@<file>` names a file with it, read each time. */
function crashAt(setting: string | undefined): CrashPoint {
  if (setting === undefined) return () => {};
  let chosen = '';
  let left = 0;
  return (name) => {
    const now = setting.startsWith('@') ? readText(setting.slice(1)) : setting;
    const [point, nth = '1', signal = 'SIGKILL'] = now.split(':');
    if (now !== chosen) left = Number(nth);
    chosen = now;
    if (name === point && (left -= 1) === 0) process.kill(process.pid, signal);
  };
}

const LISTEN_HINTS: ReadonlyMap<string, string> = tableOf({
  EADDRINUSE: 'the port is in use, perhaps by another Rostra; stop that program or set PORT',
  EADDRNOTAVAIL: 'this machine has no such address; set HOST to one of its addresses, or to 0.0.0.0 for all',
  ENOTFOUND: 'there is no host of this name; set HOST to an address of this machine',
  EACCES: 'ports below 1024 need root; set PORT',
});

function listenHint({ code = '', message }: NodeJS.ErrnoException): string {
  const hint = LISTEN_HINTS.get(code);
  return hint === undefined ? code || message : `${hint} (${code})`;
}

/** Listens and returns the port; throws a ConfigError if it cannot listen there. */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ConfigError(`HOST ${host}, PORT ${port} cannot be listened on: ${listenHint(error)}`)),
    );
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Resolves with the first SIGTERM, SIGINT or SIGHUP; later signals are ignored. */
export function untilStopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
    // A terminal that was closed takes no more lines.
    for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
  });
}
