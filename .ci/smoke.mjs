// smoke.mjs [--any-exit] [--as-nobody] <command …>: starts a server on a fresh folder, asks it something, and drains it.
import { spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const NOBODY = 65_534;
const PATIENCE = 60_000;

const args = process.argv.slice(2);
const flags = new Set();
while (args[0]?.startsWith('--')) flags.add(args.shift());
const asNobody = flags.has('--as-nobody') && process.getuid() === 0;

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

const port = await freePort();
const folder = mkdtempSync(join(tmpdir(), 'rostra-smoke-'));
if (asNobody) chownSync(folder, NOBODY, NOBODY);
const env = { ...process.env, PORT: String(port), DATA_DIR: folder, HOST: process.env.HOST ?? '127.0.0.1' };
const identity = asNobody ? { uid: NOBODY, gid: NOBODY } : {};
const stdio = ['ignore', 'pipe', 'pipe'];
const server = spawn(args[0], args.slice(1), { env, stdio, detached: true, ...identity });
let output = '';
for (const stream of [server.stdout, server.stderr]) stream.on('data', (part) => (output += part));
const ended = new Promise((resolve) => {
  server.on('error', (error) => resolve(error.message));
  server.on('exit', (code, signal) => resolve(signal ?? code));
});
let exit;
void ended.then((value) => (exit = value));

async function answerOf(path) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(5_000) });
  return { status: response.status, text: await response.text() };
}

async function waitForHealth() {
  const deadline = performance.now() + PATIENCE;
  while (performance.now() < deadline) {
    if (exit !== undefined) throw new Error(`the server ended with ${exit}`);
    const answer = await answerOf('/healthz').catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(100);
  }
  throw new Error(`no healthy answer within ${PATIENCE / 1000} s`);
}

function signalGroup(signal) {
  try {
    process.kill(-server.pid, signal);
  } catch {
    // Already gone.
  }
}

try {
  await waitForHealth();
  const document = await answerOf('/openapi.json');
  if (document.status !== 200 || JSON.parse(document.text).openapi === undefined)
    throw new Error('no OpenAPI document');
  const skill = await answerOf('/skills/rostra/SKILL.md');
  if (skill.status !== 200) throw new Error(`the skill was answered ${skill.status}`);
  const refused = await answerOf('/v1/brands');
  if (refused.status !== 401) throw new Error(`a call without a key was answered ${refused.status}`);
  if (flags.has('--any-exit')) signalGroup('SIGTERM');
  else server.kill('SIGTERM');
  const last = await Promise.race([ended, sleep(30_000, 'nothing within 30 s', { ref: false })]);
  if (last !== 0 && !flags.has('--any-exit')) throw new Error(`SIGTERM ended it with ${last} instead of 0`);
  console.log(`answered on port ${port} and drained`);
} catch (error) {
  console.error(`${error.message}\n--- what the server wrote:\n${output}`);
  process.exitCode = 1;
} finally {
  signalGroup('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
