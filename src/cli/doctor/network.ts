import { randomHex } from '#kernel/ids.ts';
import { systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { isPublicUrl } from '#kernel/net/addresses.ts';
import { makeOutbound, type Outbound, type OutboundAnswer } from '#kernel/net/request.ts';
import { USER_AGENT } from '#compose/package.ts';
import { checkPassage, LIMITS } from './proxy.ts';
import { failure, ok, warning, type CheckResult } from '#engine/readiness/checks.ts';

const CLOCK_MS = 30_000;

/** Checks that the server responds here and at its public address, and that the proxy forwards what it should. */
export async function checkNetwork(config: Config): Promise<readonly CheckResult[]> {
  const here = addressHere(config);
  const outbound = makeOutbound({
    allowPrivate: 'on',
    ownPort: () => undefined,
    trustedOrigins: () => [here, config.rootUrl],
    userAgent: USER_AGENT,
  });
  try {
    const outside = config.onThisMachine ? [] : await checkRoot(outbound, config);
    const isSeen = outside.some(({ check }) => check === 'TRUST_PROXY');
    return [await checkHere(outbound, here), ...outside, ...checkTls(config), ...(isSeen ? [] : checkTrust(config))];
  } finally {
    await outbound.close();
  }
}

function addressHere({ host, port }: Config): string {
  const own = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `http://${own.includes(':') ? `[${own}]` : own}:${port}`;
}

function get(outbound: Outbound, url: string, headers: Readonly<Record<string, string>> = {}) {
  return outbound.send({ ...LIMITS, method: 'GET', url, headers });
}

async function checkHere(outbound: Outbound, address: string): Promise<CheckResult> {
  const url = `${address}/readyz`;
  try {
    const { status, body } = await get(outbound, url);
    if (status === 200) return ok('server', `it is ready at ${url}`);
    return failure(
      'server',
      `${url} answers ${status}: ${problemsIn(body)}`,
      'do what it says, or what docs/running.md says of the problem, under "When the database is full or away"',
    );
  } catch {
    return failure('server', `nothing answers at ${url}`, 'start it, or set PORT and HOST as it has them');
  }
}

function problemsIn(body: Uint8Array): string {
  try {
    const { problems = [] } = JSON.parse(Buffer.from(body).toString('utf8')) as { problems?: readonly string[] };
    return problems.join('; ');
  } catch {
    return 'it does not say why';
  }
}

async function checkRoot(outbound: Outbound, config: Config): Promise<readonly CheckResult[]> {
  const { rootUrl } = config;
  const id = randomHex(8);
  const check = 'ROOT_URL';
  let answer: OutboundAnswer;
  try {
    answer = await get(outbound, `${rootUrl}/healthz`, { 'X-Request-ID': id });
  } catch (error) {
    const todo = 'check its name, its certificate, the proxy and the firewall';
    return [failure(check, `${rootUrl} cannot be reached from here: ${(error as Error).message}`, todo)];
  }
  const { status, headers } = answer;
  if (status === 421) {
    const todo = 'have it pass Host, or add the name it sends to ALLOWED_HOSTS';
    return [failure(check, 'the proxy does not pass the Host header on (421)', todo)];
  }
  if (status !== 200) {
    const todo = 'have the proxy send every path to this server, unchanged';
    return [failure(check, `${rootUrl}/healthz answers ${status}`, todo)];
  }
  if (headers['x-request-id'] !== id) {
    const todo = 'have the proxy pass headers on, in both directions';
    return [failure(check, 'another program answers there, or the proxy drops X-Request-ID', todo)];
  }
  return [
    ok(check, `${rootUrl} is this server`),
    ...checkClock(headers['date']),
    await checkAuthorization(outbound, rootUrl),
    ...(await checkPassage(outbound, config)),
  ];
}

/** Checks that credentials of programs and assistants arrive: some proxies remove them, or demand their own. */
async function checkAuthorization(outbound: Outbound, rootUrl: string): Promise<CheckResult> {
  const check = 'Authorization';
  const { body } = await get(outbound, `${rootUrl}/v1/brands`, { Authorization: 'Bearer rostra-doctor' }).catch(() => ({
    body: new Uint8Array(),
  }));
  if (!/"code":"auth\.(?!missing_header)/.test(Buffer.from(body).toString('utf8'))) {
    const found = 'the proxy does not pass the Authorization header on, or answers such requests itself';
    return failure(check, found, 'have it pass Authorization on, and ask for no password of its own');
  }
  return ok(check, 'the proxy passes it on');
}

/** Compares this machine's clock with the date of the response; a proxy dates what it forwards. */
function checkClock(dated: string | undefined): readonly CheckResult[] {
  const date = Date.parse(dated ?? '');
  if (Number.isNaN(date)) return [];
  const off = Math.round(Math.abs(date - systemClock.now()) / 1000);
  return off * 1000 <= CLOCK_MS
    ? [ok('clock', 'it agrees with the public address')]
    : [failure('clock', `it differs by ${off} s from the public address`, 'set the clock of this machine by NTP')];
}

function checkTls({ rootUrl }: Config): readonly CheckResult[] {
  if (!rootUrl.startsWith('http:') || !isPublicUrl(rootUrl.replace('http:', 'https:'))) return [];
  const found = `${rootUrl} is public, and without TLS: passwords and keys can be read on the way`;
  return [failure('TLS', found, 'put a proxy with a certificate before it, and set ROOT_URL to https://')];
}

/** Judges TRUST_PROXY by the address alone, where incoming requests cannot be inspected. */
function checkTrust({ rootUrl, trustProxy, onThisMachine }: Config): readonly CheckResult[] {
  if (!rootUrl.startsWith('https:') || trustProxy > 0 || onThisMachine) return [];
  const found = 'ROOT_URL is https, so a proxy stands in front, but TRUST_PROXY is 0: all visitors count as one';
  return [warning('TRUST_PROXY', found, 'set TRUST_PROXY=1, or the number of proxies')];
}
