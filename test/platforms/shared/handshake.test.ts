import { describe, expect, it } from 'vitest';
import { answerHandshake, canBePush } from '#platforms/shared/push/handshake.ts';
import { platforms } from '#platforms/index.ts';
import type { Push } from '#platforms/push.ts';
import { trusting } from '../../harness/platforms/inbound.ts';

const SECRET = 'the secret of the app';
const SIGNATURES = [
  'x-hub-signature-256',
  'x-hub-signature',
  'x-twitter-webhooks-signature',
  'x-twitter-webhooks-signature-oauth2',
  'x-li-signature',
];
const BODIES = [
  '{"data":{"event_type":"dm.received"}}',
  '{"type":"ORGANIZATION_SOCIAL_ACTION_NOTIFICATIONS"}',
  '{}',
  '[]',
  '""',
  '<feed/>',
  'a=b',
  'true',
  '-1e5',
  '123',
  '',
];

const handshakes = [...platforms.values()].flatMap(({ slug, hosts, push }) =>
  push?.handshake ? [[slug, push, { ...trusting(SECRET, 'ours'), account: SECRET, hosts: hosts.real }] as const] : [],
);
type Trust = (typeof handshakes)[number][2];

/** Every text in the answer to a challenge that stands in an otherwise right question. */
function answersTo(push: Push, challenge: string, trust: Trust): readonly string[] {
  const right = {
    'hub.mode': 'subscribe',
    'hub.verify_token': 'ours',
    'hub.topic': `${trust.hosts['feeds'] ?? ''}/xml/feeds/videos.xml?channel_id=1`,
  };
  const query = Object.fromEntries(push.handshake!.challenge.map((name) => [name, challenge]));
  const answer = answerHandshake(push, { ...right, ...query }, trust);
  if (answer === undefined) return [];
  return answer.type === 'text' ? [answer.body] : Object.values(JSON.parse(answer.body) as Record<string, string>);
}

/** The ways to send a body with something in the place of its signature. */
const forgeriesOf = (body: string, signature: string) => [
  ...SIGNATURES.flatMap((name) =>
    ['', 'sha256=', 'sha1='].map((prefix) => ({ path: '', headers: { [name]: prefix + signature }, text: body })),
  ),
  ...['deauthorize', 'data-deletion'].map((path) => ({
    path,
    headers: {},
    text: `signed_request=${signature}.${Buffer.from(body).toString('base64url')}`,
  })),
];

describe('the answers of handshakes', () => {
  it.each(handshakes)('%s: sign nothing that could be a push', async (_slug, push, trust) => {
    for (const body of BODIES) {
      for (const prefix of ['', 'hmacsha256=', 'sha256=']) {
        for (const signature of answersTo(push, prefix + body, trust)) {
          for (const { text, ...forged } of forgeriesOf(body, signature)) {
            const bytes = Buffer.from(text);
            const isTaken = canBePush(bytes) && (await push.verify({ ...forged, body: bytes }, trust));
            expect([prefix + body, forged, text, isTaken]).toEqual([prefix + body, forged, text, false]);
          }
        }
      }
    }
  });

  it.each(handshakes)('%s: are given to the challenges of platforms, and to nothing else', (_slug, push, trust) => {
    for (const real of ['1158201444', '890e4665-4dfe-4ab1-b689-ed553bceeed0', 'Rz-Xb_m4+/c9Kw==', 'x'.repeat(200)])
      expect(answersTo(push, real, trust)).not.toEqual([]);
    for (const other of ['', ' ', 'a b', 'a.b', '{"a":1}', '<b>', '1\n', 'é', '"x"', 'x'.repeat(201)])
      expect([other, answersTo(push, other, trust)]).toEqual([other, []]);
  });

  it('would be signatures, were it not for what they are given to', async () => {
    for (const [slug, prefix] of [
      ['twitter', ''],
      ['linkedin', 'hmacsha256='],
    ] as const) {
      const [, push, trust] = handshakes.find(([one]) => one === slug)!;
      const signatures = answersTo(push, `${prefix}123`, trust);
      const body = Buffer.from('123');
      const taken: boolean[] = [];
      for (const forged of signatures.flatMap((one) => forgeriesOf('123', one)))
        taken.push(await push.verify({ ...forged, body }, trust));
      expect([slug, taken.includes(true), canBePush(body)]).toEqual([slug, true, false]);
    }
  });
});
