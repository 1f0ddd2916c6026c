import { spawn } from 'node:child_process';
import { createServer, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { listen, stop } from '../harness/sockets.ts';

const SUITE = fileURLToPath(
  import.meta.resolve('@modelcontextprotocol/conformance/package.json').replace('package.json', 'dist/index.js'),
);

export type Requirements = '2025-11-25' | '2026-07-28';
export type Verdict = Readonly<{ code: number; output: string }>;

/** Runs the official suite against a server; exit 0 means that everything the revision requires holds. */
export function runSuite(url: string, requirements: Requirements, expectedFailures?: string): Promise<Verdict> {
  const known = expectedFailures === undefined ? [] : ['--expected-failures', expectedFailures];
  return run(['server', '--url', url, '--requirements', requirements, ...known]);
}

/** Runs one scenario of the suite that no revision requires, such as those of an extension. */
export const runScenario = (url: string, scenario: string): Promise<Verdict> =>
  run(['server', '--url', url, '--scenario', scenario]);

function run(args: readonly string[]): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [SUITE, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer) => (output += chunk.toString());
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/**
 * The suite cannot send a token. This stands between and adds one; Host and Origin of the server itself are
 * rewritten to the server's address, every other stays as it was sent, for they are what is tested.
 */
async function withKey<T>(target: string, key: string, use: (url: string) => Promise<T>): Promise<T> {
  const { host: there } = new URL(target);
  const proxy = createServer((req, res) => {
    const { host, origin } = req.headers;
    const headers = {
      ...req.headers,
      authorization: `Bearer ${key}`,
      host: host === here ? there : host,
      ...(origin !== undefined && { origin: origin === `http://${here}` ? `http://${there}` : origin }),
    };
    const sent = request(`http://${there}${req.url}`, { method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(res);
    });
    sent.on('error', () => res.destroy());
    res.on('close', () => sent.destroy());
    req.pipe(sent);
  });
  const here = `127.0.0.1:${await listen(proxy)}`;
  try {
    return await use(`http://${here}/mcp`);
  } finally {
    await stop(proxy);
  }
}

/** The expected failures of a server without fixtures: what needs one, and nothing else. A stale line fails the run. */
const expectedFailures = (requirements: Requirements): string =>
  fileURLToPath(new URL(`expected-failures.${requirements}.yaml`, import.meta.url));

/** Runs the suite against a shipped server with a key of its own. */
export const runShipped = (rootUrl: string, key: string, requirements: Requirements): Promise<Verdict> =>
  withKey(rootUrl, key, (url) => runSuite(url, requirements, expectedFailures(requirements)));
