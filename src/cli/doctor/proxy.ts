import type { Config } from '#kernel/config/config.ts';
import { isPublicUrl } from '#kernel/net/addresses.ts';
import type { Outbound } from '#kernel/net/request.ts';
import { platforms } from '#platforms/index.ts';
import { appOf } from '#platforms/lookup.ts';
import { failure, ok, warning, type CheckResult } from '#engine/readiness/checks.ts';
import { PROBE_ADDRESS, PROBE_GAP_MS, PROXY_PROBE } from '#serve/proxy-probe.ts';

const UPLOAD_BYTES = 2_000_000;
export const LIMITS = Object.freeze({ purpose: 'page', given: false, deadlineMs: 10_000, maxBytes: 65_536 } as const);

/** Checks what the proxy in front of a server does to streams, addresses, bodies and the pushes of platforms. */
export async function checkPassage(outbound: Outbound, config: Config): Promise<readonly CheckResult[]> {
  const { rootUrl } = config;
  return [
    ...(await checkStream(outbound, config)),
    await checkBodies(outbound, rootUrl),
    ...(await checkPushes(outbound, config)),
  ];
}

/** Reads an event stream in two parts: whether the first arrives before the second, and what it says about proxies. */
async function checkStream(outbound: Outbound, { rootUrl, trustProxy }: Config): Promise<readonly CheckResult[]> {
  const check = 'streams';
  const arrivals: number[] = [];
  let text = '';
  const request = {
    ...LIMITS,
    method: 'GET',
    url: rootUrl + PROXY_PROBE,
    headers: { 'X-Forwarded-For': PROBE_ADDRESS, Accept: 'text/event-stream' },
    sink(part: Uint8Array) {
      arrivals.push(performance.now());
      text += Buffer.from(part).toString('utf8');
    },
  };
  const answer = await outbound.send(request).catch((error: unknown) => ({ status: (error as Error).message }));
  const [, proxies] = /"proxies":(\d+)/.exec(text) ?? [];
  if (answer.status !== 200 || proxies === undefined) {
    const found = `an event stream does not come through (${answer.status})`;
    return [failure(check, found, 'have the proxy pass every path on, and wait at least 120 s for an answer')];
  }
  const gap = arrivals.at(-1)! - arrivals[0]!;
  return [
    gap < PROBE_GAP_MS / 2
      ? failure(
          check,
          'the proxy collects answers before it passes them on: streams and progress arrive late',
          'switch its buffering off (nginx: proxy_buffering off; Apache: flushpackets=on)',
        )
      : ok(check, 'the proxy passes them on as they come'),
    trustOf(Number(proxies), trustProxy),
  ];
}

function trustOf(proxies: number, trusted: number): CheckResult {
  const check = 'TRUST_PROXY';
  if (proxies === trusted) return ok(check, `it is ${trusted}, as many as add to X-Forwarded-For`);
  const found = `it is ${trusted}, and ${proxies === 1 ? '1 proxy adds' : `${proxies} proxies add`} to X-Forwarded-For`;
  const todo = `set TRUST_PROXY=${proxies}`;
  if (proxies > trusted) return warning(check, `${found}: all visitors count as one`, todo);
  const cure = proxies === 0 ? `have the proxy add to X-Forwarded-For, or set TRUST_PROXY=0` : todo;
  return failure(check, `${found}: anybody can claim any address`, cure);
}

/** Checks that the proxy accepts a body larger than most proxies accept by default. */
async function checkBodies(outbound: Outbound, rootUrl: string): Promise<CheckResult> {
  const check = 'uploads';
  const request = { ...LIMITS, method: 'POST', url: rootUrl + PROXY_PROBE, body: Buffer.alloc(UPLOAD_BYTES) };
  const todo = 'raise its limit to the largest file (nginx: client_max_body_size 1g)';
  let why: string;
  try {
    const { status, body } = await outbound.send(request);
    if (status === 200 && Buffer.from(body).toString('utf8').includes(`"bytes":${UPLOAD_BYTES}`))
      return ok(check, 'the proxy takes 2 MB');
    why = String(status);
  } catch (error) {
    why = (error as Error).message;
  }
  return failure(check, `the proxy refuses a body of 2 MB (${why})`, todo);
}

async function checkPushes(outbound: Outbound, { rootUrl, credentials }: Config): Promise<readonly CheckResult[]> {
  const check = 'push addresses';
  const used = [...platforms.values()].filter(
    (platform) => platform.push !== undefined && credentials[appOf(platform)] !== undefined,
  );
  if (used.length === 0) return [];
  const names = used.map(({ slug }) => slug).join(', ');
  if (!rootUrl.startsWith('https:') || !isPublicUrl(rootUrl)) {
    const found = `platforms cannot call ${rootUrl}: what people write on ${names} does not arrive automatically`;
    return [warning(check, found, 'set ROOT_URL to a public https address')];
  }
  const lost: string[] = [];
  for (const { slug } of used) {
    const id = `doctor-${slug}`;
    const url = `${rootUrl}/push/${slug}`;
    const answer = await outbound
      .send({ ...LIMITS, method: 'GET', url, headers: { 'X-Request-ID': id } })
      .catch(() => undefined);
    if (answer?.headers['x-request-id'] !== id) lost.push(url);
  }
  if (lost.length === 0) return [ok(check, `those of ${names} lead here`)];
  return [
    failure(check, `these do not lead here: ${lost.join(', ')}`, 'have the proxy pass /push on, without a sign-in'),
  ];
}
