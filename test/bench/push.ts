import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { Agent, request } from 'undici';
import { median, range, reaching, shown, type Finding } from './finding.ts';
import { alternate, usedBy } from './load.ts';
import type { SignedInserts } from './peers.ts';
import { addAccount } from './seed.ts';
import { builtProgram, makeDataDir, startPeer, startRostra, withFolder, withServers, type Running } from './server.ts';

export type PushEffort = Readonly<{ rounds: number; pushes: number }>;

const CONNECTIONS = Object.freeze([1, 16, 64]);
/** What is judged is what comes when many push at the same time: one connection waits for each answer. */
const JUDGED = 64;
const PER_SECOND = 1500;
const SECRET = 'b'.repeat(32);
const NUMBER = '106540352242922';
const PATH = '/push/whatsapp';
/** People who write: each of them several times in a round. */
const PEOPLE = 200;
const AGAIN_MS = 20;
const SETTINGS = Object.freeze({ WHATSAPP_CLIENT_ID: '42', WHATSAPP_CLIENT_SECRET: SECRET });

type Signed = Readonly<{ body: string; signature: string }>;
/** `recorded` is how many events a second came of pushes, from the first request to the last event; the refused were sent again. */
type Round = Readonly<{ answered: number; recorded: number; cpuUs: number; refused: number }>;

/** Messages that WhatsApp pushes, taken, recorded and emitted, beside a bare Koa route that verifies and flushes one insert. */
export function benchPush({ rounds, pushes }: PushEffort): Promise<readonly Finding[]> {
  return withFolder(async (folder) => {
    const dataDir = join(folder, 'data');
    const file = join(dataDir, 'rostra.db');
    await makeDataDir(dataDir);
    addAccount(file, { id: `acc_${'0'.repeat(26)}`, platform: 'whatsapp', user: NUMBER });
    const bare: SignedInserts = { file: join(folder, 'bare.db'), secret: SECRET };
    const started = [
      startRostra(dataDir, { program: builtProgram(), settings: SETTINGS }),
      startPeer('barePush', bare),
    ];
    return withServers(started, async ([rostra, peer]) => {
      const database = new Database(file, { readonly: true });
      try {
        const ours = (signed: readonly Signed[], connections: number) => round(rostra!, signed, connections, database);
        const theirs = (signed: readonly Signed[], connections: number) => round(peer!, signed, connections);
        const findings: Finding[] = [];
        for (const connections of CONNECTIONS) {
          const signed = (at: number) => Array.from({ length: pushes }, (_, n) => push(`${connections}.${at}.${n}`, n));
          const done = await alternate(
            rounds,
            (at) => ours(signed(at), connections),
            (at) => theirs(signed(at), connections),
          );
          findings.push(...reportOf(done, connections));
        }
        return findings;
      } finally {
        database.close();
      }
    });
  });
}

function reportOf(rounds: readonly Readonly<{ own: Round; other: Round }>[], connections: number): readonly Finding[] {
  const recorded = median(rounds.map(({ own }) => own.recorded));
  const ratios = rounds.map(({ own, other }) => own.recorded / other.recorded);
  const cpu = median(rounds.map(({ own, other }) => other.cpuUs / own.cpuUs));
  const cpuOf = (of: 'own' | 'other') => `${median(rounds.map((round) => round[of].cpuUs)).toFixed(0)} µs CPU`;
  const answered = median(rounds.map(({ own }) => own.answered));
  const other = median(rounds.map((round) => round.other.recorded));
  const refused = median(rounds.map(({ own }) => own.refused));
  const title = `pushes taken, recorded and emitted, ${connections} at once`;
  return [
    {
      what: `${title}, a second`,
      ...(connections === JUDGED ? reaching(PER_SECOND, recorded) : { measured: recorded.toFixed(0) }),
      note: `answered at ${answered.toFixed(0)}/s, emitted at ${recorded.toFixed(0)}/s, ${cpuOf('own')} each; ${refused} refused for want of room and sent again`,
    },
    {
      what: `${title}, beside a bare flushed insert`,
      ...shown({ speed: median(ratios), cpu: Number.isNaN(cpu) ? undefined : cpu }),
      note: `bare ${other.toFixed(0)}/s at ${cpuOf('other')}; ${rounds.length} rounds of ${range(ratios)}`,
    },
  ];
}

/** Pushes everything, and waits until all of it was made into events where there is a database to look into. */
async function round(
  server: Running,
  signed: readonly Signed[],
  connections: number,
  database?: Database.Database,
): Promise<Round> {
  const emitted = database?.prepare<[], number>(`select count(*) from events where name = 'dm.received'`).pluck();
  const waiting = database?.prepare<[], number>('select exists (select 1 from pushes)').pluck();
  const before = { emitted: emitted?.get() ?? 0, cpuUs: usedBy(server.pid) ?? NaN };
  const began = performance.now();
  const refused = await pushAll(server.url, signed, connections);
  const answeredMs = performance.now() - began;
  while (waiting?.get() === 1) await wait(5);
  const recordedMs = performance.now() - began;
  const cpuUs = ((usedBy(server.pid) ?? NaN) - before.cpuUs) / signed.length;
  const made = emitted === undefined ? signed.length : emitted.get()! - before.emitted;
  if (made !== signed.length) throw new Error(`${made} events came of ${signed.length} pushes`);
  const perSecond = (ms: number) => (signed.length / ms) * 1000;
  return { answered: perSecond(answeredMs), recorded: perSecond(recordedMs), cpuUs, refused };
}

/** Sends all, and what found no room once more, as platforms do; answers how often that was. */
async function pushAll(url: string, signed: readonly Signed[], connections: number): Promise<number> {
  const agent = new Agent({ connections, pipelining: 1 });
  let next = 0;
  let refused = 0;
  const send = async ({ body, signature }: Signed): Promise<void> => {
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
    const answer = await request(url + PATH, { method: 'POST', headers, body, dispatcher: agent });
    await answer.body.dump();
    if (answer.statusCode === 200) return;
    if (answer.statusCode !== 503) throw new Error(`a push was answered with ${answer.statusCode}`);
    refused += 1;
    await wait(AGAIN_MS);
    await send({ body, signature });
  };
  const worker = async () => {
    for (let at = next++; at < signed.length; at = next++) await send(signed[at]!);
  };
  try {
    await Promise.all(Array.from({ length: connections }, worker));
    return refused;
  } finally {
    await agent.close();
  }
}

/** A text message as WhatsApp pushes it. */
function push(id: string, n: number): Signed {
  const from = `49151${String(n % PEOPLE).padStart(8, '0')}`;
  const message = { from, id: `wamid.${id}`, timestamp: String(Math.floor(Date.now() / 1000)), type: 'text' };
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550783881', phone_number_id: NUMBER },
    contacts: [{ profile: { name: `Person ${n % PEOPLE}` }, wa_id: from }],
    messages: [{ ...message, text: { body: 'Is it open on Sunday, too?' } }],
  };
  const entry = [{ id: '102290129340398', changes: [{ field: 'messages', value }] }];
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry });
  return { body, signature: `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}` };
}
