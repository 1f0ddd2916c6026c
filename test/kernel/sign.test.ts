import { describe, expect, it } from 'vitest';
import { hmacMatches, hmacOf, sha256, signLegacy, signV2, type SignatureScheme } from '#kernel/sign.ts';

const HEX: SignatureScheme = { algorithm: 'sha256', encoding: 'hex' };
const HUB: SignatureScheme = { ...HEX, prefix: 'sha256=' };
const X: SignatureScheme = { algorithm: 'sha256', encoding: 'base64', prefix: 'sha256=' };
const SIGNED_REQUEST: SignatureScheme = { algorithm: 'sha256', encoding: 'base64url' };
const WEBSUB: SignatureScheme = { algorithm: 'sha1', encoding: 'hex', prefix: 'sha1=' };

const TIKTOK_BODY =
  '{"client_key":"ck","event":"post.publish.complete","create_time":1700000000,"user_openid":"oid",' +
  '"content":"{\\"publish_id\\":\\"v_pub_1\\"}"}';
const META_BODY =
  '{"object":"instagram","entry":[{"id":"17841400000000000","time":1763700000,"changes":[{"field":"comments",' +
  '"value":{"id":"17890000000000001","text":"h\\u00e9llo"}}]}]}';

/** Signatures that the platforms' documentation or a run of node:crypto gave. */
const VECTORS: readonly (readonly [name: string, SignatureScheme, string, readonly string[], string])[] = [
  [
    'TikTok-Signature',
    HEX,
    'test_client_secret',
    ['1700000000', '.', TIKTOK_BODY],
    '16961c5890b9a09707dd4a74f2e25139e969b9dc601b3fa087bebb6728e473ba',
  ],
  [
    'the CRC of X',
    X,
    'test_consumer_secret',
    ['crc_token_value'],
    'sha256=6ybhN+vtyZZHN6nHsN8EyshXFkxWZK7auWoZcDQLrfo=',
  ],
  [
    'a push of X',
    X,
    'test_consumer_secret',
    ['{"for_user_id":"1"}'],
    'sha256=oRimJrTZrI4uVjsQH57pPKpqjT4OqxThx4oyH5FVI5I=',
  ],
  [
    'the challenge of LinkedIn',
    HEX,
    'test_client_secret',
    ['890e4665-4dfe-4ab1-b689-ed553bceeed0'],
    '2f02d4233a0396d6b4632fc7be62fd3ab68183421f688efcda0c1fcb2615273e',
  ],
  [
    'X-LI-Signature',
    HEX,
    'test_client_secret',
    ['hmacsha256=', '{"type":"ORGANIZATION_SOCIAL_ACTION_NOTIFICATIONS","notifications":[]}'],
    '402cf9cdc626c0ebaf382709c0e3f3c720807c24074c439a734f7e72dd1ec03a',
  ],
  [
    'X-Hub-Signature-256',
    HUB,
    'test_app_secret',
    [META_BODY],
    'sha256=71b8ab5940ea457b0a78339013d3fc98d2b0402cb1fbaec1dbcc476a4c10a22f',
  ],
  [
    'a signed_request of Meta',
    SIGNED_REQUEST,
    'test_app_secret',
    ['eyJ1c2VyX2lkIjoiMjE4NDcxIiwiYWxnb3JpdGhtIjoiSE1BQy1TSEEyNTYiLCJpc3N1ZWRfYXQiOjEyOTE4MzY4MDB9'],
    'jTvGo4P6ZdxYiZj-0-weXUGYxBmDJ6sTwKbKd-UjGCs',
  ],
  [
    'the appsecret_proof of Meta',
    HEX,
    'test_app_secret',
    ['EAAtest'],
    '49358f80523f3501db3aacc96d86f4aac4f3448ce65bfeff7c75d0e622d3f17e',
  ],
  ['the X-Hub-Signature of WebSub', WEBSUB, 'hubsecret', ['<feed/>'], 'sha1=48baeb85e2153a4a692fcb75ffd634ead2fa1c55'],
];

describe('signatures of platforms', () => {
  it.each(VECTORS)('makes and accepts %s', (_, scheme, secret, parts, signature) => {
    expect(hmacOf(scheme, secret, ...parts)).toBe(signature);
    const bytes = Buffer.from(parts.join(''));
    expect(hmacMatches(scheme, signature, [secret], bytes)).toBe(true);
    expect(hmacMatches(scheme, signature, ['other', secret], bytes)).toBe(true);
    expect(hmacMatches(scheme, signature, ['other'], bytes)).toBe(false);
    expect(hmacMatches(scheme, signature, [], bytes)).toBe(false);
    expect(hmacMatches(scheme, signature, [secret], bytes, '.')).toBe(false);
    expect(hmacMatches(scheme, signature.slice(0, -1), [secret], bytes)).toBe(false);
  });

  it('accepts nothing by an empty secret', () => {
    expect(hmacMatches(HEX, hmacOf(HEX, '', 'body'), [''], 'body')).toBe(false);
  });

  it('hashes the mac of Zalo, which is keyed by nothing', () => {
    const body = '{"app_id":"123","event_name":"user_send_text","timestamp":"1700000000000"}';
    expect(sha256(`123${body}1700000000000oa_secret`)).toBe(
      'b0e32a0ee6de66a266f72aa8d02110386c7da9d760268a4287b0024972920198',
    );
  });
});

describe('signatures of our webhooks', () => {
  it.each(['{"text":"é"}', Buffer.from('{"text":"é"}')])('are those of the raw body', (body) => {
    expect(signLegacy('secret', body)).toBe(hmacOf(HUB, 'secret', '{"text":"é"}'));
    expect(signV2('secret', '1700000000', body)).toBe(hmacOf(HUB, 'secret', '1700000000.{"text":"é"}'));
  });
});
