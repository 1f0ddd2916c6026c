import type { PlatformRequest } from '#platforms/call.ts';
import type { Mask } from './mask.ts';
import type { Exchange } from './recorder.ts';
import type { Flaw } from './shape.ts';
import type { Check } from './trail.ts';
import { counted } from '#kernel/people/counted.ts';

export type Title = Readonly<{ platform: string; network: string; version: string; at: string }>;

/** Every difference, a sentence each. */
export function differencesIn(checks: readonly Check[]): readonly string[] {
  const all = checks.flatMap(({ name, differs, requests }) => [
    ...differs.map((what) => `${name}: ${what}`),
    ...requests.flatMap(({ exchange, flaws }) =>
      flaws.map((flaw) => `${name}: ${lineOf(exchange)}: ${sentenceOf(flaw)}`),
    ),
  ]);
  return [...new Set(all)];
}

/** A report as Markdown, without anything personal or secret, to paste anywhere. */
export function reportOf({ platform, network, version, at }: Title, checks: readonly Check[]): string {
  const differences = differencesIn(checks);
  const broken = checks.filter(({ state }) => state === 'broken off').length;
  const counts = [
    differences.length === 0 ? 'no differences' : counted(differences.length, 'difference'),
    ...(broken > 0 ? [`${counted(broken, 'check')} broken off`] : []),
  ];
  return [
    `# rostra verify ${platform}: ${counts.join(', ')}`,
    '',
    `Rostra ${version}, ${network === 'sandbox' ? 'the sandbox' : 'the real platform'}, ${at}`,
    '',
    ...differences.map((one, index) => `${index + 1}. ${one}`),
    ...(differences.length > 0 ? [''] : []),
    ...checks.flatMap((check) => [...sectionOf(check), '']),
  ].join('\n');
}

const ended = (sentence: string) => sentence.replace(/\.?$/, '.');

function sectionOf({ name, state, expected, seen, differs, requests }: Check): readonly string[] {
  const wrong = new Set(differs);
  return [
    `## ${name}: ${state}`,
    ...(expected === '' ? [] : [ended(`Expected: ${expected}`)]),
    ended(`Seen: ${seen}`),
    ...[...wrong].filter((what) => what !== seen).map((what) => ended(`Differs: ${what}`)),
    ...requests.map(({ exchange, flaws }) => {
      const what = flaws.length === 0 ? '' : `: ${flaws.map(sentenceOf).join('; ')}`;
      return `- ${lineOf(exchange)}${what}`;
    }),
  ];
}

function lineOf({ request, answer }: Exchange): string {
  return `\`${request.method} ${request.template || '/{given}'}\` → ${answer?.status ?? 'no answer'}`;
}

function sentenceOf({ at, expected, seen }: Flaw): string {
  const where = at === '' ? 'the answer' : `\`${at}\``;
  return `${where} is ${seen}, expected: ${expected}`;
}

/** A report's exchanges as JSON, masked. */
export function recordOf(title: Title, checks: readonly Check[], mask: Mask): string {
  const record = {
    ...title,
    differences: differencesIn(checks),
    checks: checks.map(({ requests, ...check }) => ({
      ...check,
      requests: requests.map(({ exchange, flaws }) => ({ ...maskedExchange(exchange, mask), flaws })),
    })),
  };
  return JSON.stringify(record, null, 2) + '\n';
}

function maskedExchange({ request, answer, reading, failure }: Exchange, mask: Mask) {
  const url = new URL(request.url);
  const query = Object.fromEntries(url.searchParams);
  const sent = sentIn(request);
  return {
    method: request.method,
    host: mask.host(url.host),
    path: request.template,
    ...(url.search !== '' && { query: mask.value(query) }),
    ...(sent !== undefined && { sent: typeof sent === 'string' ? sent : mask.value(sent) }),
    ...(answer && { status: answer.status }),
    ...(reading?.body !== undefined && { answer: mask.value(reading.body, reading.error !== undefined) }),
    ...(failure !== undefined && { failure: mask.words(failure) }),
  };
}

function sentIn({ body, headers = {} }: PlatformRequest): unknown {
  if (body === undefined) return undefined;
  const type = headers['content-type'] ?? '';
  if (typeof body !== 'string') return `(${body.length} bytes of ${type.split(';')[0] || 'a file'})`;
  if (type.includes('x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(body));
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return `(${body.length} characters)`;
  }
}
