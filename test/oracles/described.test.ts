/**
 * What the conformance test holds connectors and simulators to finds what is misspelt, and lets through what is
 * described.
 */
import { expect, it } from 'vitest';
import type { Exchange } from '../harness/platforms/gate.ts';
import { openDescription } from './described.ts';

const exchange = (line: string, body?: object, answered?: object, status = 200): Exchange => {
  const [method = '', path = ''] = line.split(' ');
  return {
    method,
    url: new URL(path, 'http://x'),
    type: body === undefined ? '' : 'application/json',
    body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
    ...(answered && { answer: { status, body: JSON.stringify(answered) } }),
  };
};
const pathOf = ({ pathname }: URL) => pathname;

it('X: bodies, lists of the query and answers are as its OpenAPI says', () => {
  const flawsOf = openDescription('x-v2.json', pathOf);
  const made = { data: { id: '1', text: 'Rye' } };
  expect(flawsOf(exchange('POST /2/tweets', { text: 'Rye' }, made, 201))).toEqual([]);
  expect(flawsOf(exchange('POST /2/tweets', { texts: 'Rye' }))).toEqual([
    'POST /2/tweets: must NOT have additional properties texts',
  ]);
  expect(flawsOf(exchange('GET /2/tweets?ids=1,2&tweet.fields=text,entities'))).toEqual([]);
  expect(flawsOf(exchange('GET /2/tweets?ids=1&tweet.fields=texts'))).toEqual([
    'GET /2/tweets: ?/tweet.fields/0 must be equal to one of the allowed values',
  ]);
  const strange = { data: { id: '1', text: 'Rye', colour: 'red' } };
  expect(flawsOf(exchange('POST /2/tweets', { text: 'Rye' }, strange))).toEqual([
    'POST /2/tweets answers 200: /data must NOT have additional properties colour',
  ]);
  expect(flawsOf(exchange('GET /2/nothing'))).toEqual(['GET /2/nothing is in no description']);
  expect(flawsOf(exchange('DELETE /2/tweets/1', { id: '1' }))).toEqual(['DELETE /2/tweets/{id}: must NOT have a body']);
  expect(openDescription('x-v2.json', () => undefined)(exchange('GET /2/nothing'))).toBeUndefined();
});

it('Bluesky: queries, records and answers are as its lexicons say', () => {
  const flawsOf = openDescription('bluesky-lexicons.json', pathOf);
  const place = { repo: 'did:plc:a', collection: 'app.bsky.feed.post', rkey: '3k' };
  const record = { $type: 'app.bsky.feed.post', text: 'Rye', createdAt: '2026-11-28T07:00:00.000Z' };
  const put = 'POST /xrpc/com.atproto.repo.putRecord';
  expect(flawsOf(exchange(put, { ...place, record }))).toEqual([]);
  expect(flawsOf(exchange(put, { ...place, record: { ...record, lang: ['en'] } }))).toContain(
    `${put}: /record must NOT have additional properties lang`,
  );
  const posts = 'GET /xrpc/app.bsky.feed.getPosts';
  expect(
    flawsOf(exchange(`${posts}?uris=at://did:plc:a/b/c&uris=at://did:plc:a/b/d`, undefined, { posts: [] })),
  ).toEqual([]);
  expect(flawsOf(exchange(`${posts}?uri=at://did:plc:a/b/c`))).toHaveLength(2);
});

it('Telegram: methods, forms and answers are as the Bot API says', () => {
  const flawsOf = openDescription('telegram-bot-api.json', pathOf);
  const json = { chat_id: '1', text: 'Rye', reply_parameters: { message_id: 2 } };
  expect(flawsOf(exchange('POST /sendMessage', json))).toEqual([]);
  expect(flawsOf(exchange('POST /sendMessage', { ...json, reply_parameter: {} }))).toEqual([
    'POST /sendMessage: must NOT have additional properties reply_parameter',
  ]);
  const part = (name: string, more = '') =>
    `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${name === 'chat_id' ? '1' : 'x'}\r\n`;
  const form = (file: string): Exchange => ({
    ...exchange('POST /sendPhoto'),
    type: 'multipart/form-data; boundary=b',
    body: Buffer.from(`${part('chat_id')}${part(file, '; filename="a.png"')}--b--\r\n`),
  });
  expect(flawsOf(form('photo'))).toEqual([]);
  expect(flawsOf(form('picture'))).toEqual([
    "POST /sendPhoto: must have required property 'photo'",
    'POST /sendPhoto: must NOT have additional properties picture',
  ]);
});

it('YouTube: parts, bodies and answers are as its discovery document says', () => {
  const flawsOf = openDescription('youtube-v3.json', pathOf);
  const videos = 'GET /youtube/v3/videos';
  const item = { kind: 'youtube#video', id: 'a', statistics: { viewCount: '1' } };
  const listed = { kind: 'youtube#videoListResponse', items: [item] };
  expect(flawsOf(exchange(`${videos}?part=status,statistics&id=a,b&maxResults=2`, undefined, listed))).toEqual([]);
  const strange = { ...listed, items: [{ ...item, statistics: { viewCount: 1, views: '1' } }] };
  expect(flawsOf(exchange(`${videos}?part=statistic&ids=a`, undefined, strange))).toEqual([
    `${videos}: ? must NOT have additional properties ids`,
    `${videos}: ?/part/0 must be equal to one of the allowed values`,
    `${videos} answers 200: /items/0/statistics must NOT have additional properties views`,
    `${videos} answers 200: /items/0/statistics/viewCount must be string`,
  ]);
  const upload = 'POST /upload/youtube/v3/videos';
  const asked = `${upload}?uploadType=resumable&part=snippet,status`;
  expect(flawsOf(exchange(asked, { snippet: { title: 'Rye' }, status: { madeForKid: true } }))).toEqual([
    `${upload}: /status must NOT have additional properties madeForKid`,
  ]);
});

it('Google: masks, bodies and answers are as its discovery documents say', () => {
  const flawsOf = openDescription('google-business.json', pathOf);
  const locations = 'GET /businessinformation/v1/accounts/{account}/locations';
  const asked = (mask: string) => locations.replace('{account}', '1') + `?readMask=${mask}&pageSize=100`;
  const metadata = { placeId: 'a', canOperateLocalPost: false };
  const listed = { locations: [{ name: 'locations/1', title: 'Café', metadata }] };
  expect(flawsOf(exchange(asked('name,title,metadata'), undefined, listed))).toEqual([]);
  expect(flawsOf(exchange(asked('titles'), undefined, { locations: [{ titles: 'Café' }] }))).toEqual([
    `${locations}: ?/readMask/0 must be equal to one of the allowed values`,
    `${locations} answers 200: /locations/0 must NOT have additional properties titles`,
  ]);
  const posts = 'POST /mybusiness/v4/accounts/{account}/locations/{location}/localPosts';
  const post = { topicType: 'EVENT', event: { schedule: { startTime: { hours: 8, minute: 0 } } } };
  expect(flawsOf(exchange(posts, post))).toEqual([
    `${posts}: /event/schedule/startTime must NOT have additional properties minute`,
  ]);
});

it('WhatsApp: messages, fields and answers are as its OpenAPI says', () => {
  const flawsOf = openDescription('meta-whatsapp.json', pathOf);
  const messages = 'POST /{number}/messages';
  const base = { messaging_product: 'whatsapp', recipient_type: 'individual', to: '1', type: 'text' };
  const sent = (body: object) => flawsOf(exchange('POST /1/messages', body, { messages: [{ id: 'wamid.1' }] }));
  expect(sent({ ...base, text: { body: 'Rye' } })).toEqual([]);
  expect(sent({ ...base, text: { bodies: 'Rye' } })).toContain(
    `${messages}: /text must NOT have additional properties bodies`,
  );
  expect(sent({ ...base, text: { body: 'Rye' }, contexts: {} })).toContain(
    `${messages}: must NOT have unevaluated properties contexts`,
  );
  expect(sent({ messaging_product: 'whatsapp', status: 'read', message_ids: 'wamid.1' })).toHaveLength(3);
  const numbers = 'GET /{waba}/phone_numbers';
  const listed = { data: [{ id: '1', display_phone_number: '+1', state: 'CONNECTED' }] };
  expect(flawsOf(exchange('GET /1/phone_numbers?fields=id,state', undefined, listed))).toEqual([
    `${numbers}: ?/fields/1 must be equal to one of the allowed values`,
    `${numbers} answers 200: /data/0 must NOT have additional properties state`,
  ]);
});
