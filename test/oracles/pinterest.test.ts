/** What the twin of Pinterest answers is what the OpenAPI of Pinterest describes, and nothing else. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mp4, png } from '../harness/media-samples.ts';
import { FRED, openPinterestWorld, REDIRECT } from '../harness/worlds/twins/pinterest.ts';
import type { PinterestWorld } from '../harness/worlds/twins/pinterest.ts';
import { openOracle } from './oracle.ts';

const { flawsOf } = openOracle<
  | 'Account'
  | 'AnalyticsResponse'
  | 'Board'
  | 'BoardSection'
  | 'BulkPinAnalyticsResponse'
  | 'Error'
  | 'Media'
  | 'MediaUpload'
  | 'OauthAccessTokenResponseCode'
  | 'OauthAccessTokenResponseRefresh'
  | 'Pin'
  | 'PinAnalyticsResponse'
>('pinterest-v5.json');

let world: PinterestWorld;
beforeAll(async () => {
  world = await openPinterestWorld();
});
afterAll(() => world.close());

it('the twin of Pinterest has the fields of its OpenAPI, and no others', async () => {
  const form = { grant_type: 'authorization_code', redirect_uri: REDIRECT, code: await world.code() };
  const first = (await world.token(form)).json;
  expect(flawsOf('OauthAccessTokenResponseCode', first)).toEqual([]);
  const renewal = { grant_type: 'refresh_token', refresh_token: first.refresh_token };
  const { access_token: token, ...rest } = (await world.token(renewal)).json;
  expect(flawsOf('OauthAccessTokenResponseRefresh', { access_token: token, ...rest })).toEqual([]);

  const ask = async (verb: string, path: string, body?: Record<string, unknown>) => {
    const { json, status, text } = await world.call(verb, path, token, body as never);
    expect([path, status < 300 ? 'fine' : text]).toEqual([path, 'fine']);
    return json;
  };
  expect(flawsOf('Account', await ask('GET', '/user_account'))).toEqual([]);
  const board = await ask('POST', '/boards', { name: 'Autumn', description: 'Leaves' });
  expect(flawsOf('Board', board)).toEqual([]);
  expect(flawsOf('Board', (await ask('GET', '/boards')).items[0])).toEqual([]);
  const section = await ask('POST', `/boards/${board.id}/sections`, { name: 'Red' });
  expect(flawsOf('BoardSection', section)).toEqual([]);

  const upload = await ask('POST', '/media', { media_type: 'video' });
  expect(flawsOf('MediaUpload', upload)).toEqual([]);
  expect((await world.send(upload.upload_url, upload.upload_parameters, mp4())).status).toBe(204);
  world.clock.move(5000);
  expect(flawsOf('Media', await ask('GET', `/media/${upload.media_id}`))).toEqual([]);

  const url = world.app.put('a.png', png(), 'image/png');
  const data = png().toString('base64');
  const content_type = 'image/png';
  const sources = [
    { source_type: 'image_url', url },
    { source_type: 'image_base64', content_type, data },
    { source_type: 'multiple_image_urls', items: [{ url, title: 'One' }, { url }], index: 0 },
    { source_type: 'multiple_image_base64', items: [1, 2, 3].map(() => ({ content_type, data })) },
    { source_type: 'video_id', media_id: upload.media_id, cover_image_url: url },
  ];
  const about = { board_section_id: section.id, dominant_color: '#AABBCC', alt_text: 'Beans', note: 'Mine' };
  const ids: string[] = [];
  for (const media_source of sources) {
    const pin = await ask('POST', '/pins', { board_id: board.id, media_source, title: 'Beans', ...about });
    expect([media_source.source_type, flawsOf('Pin', pin)]).toEqual([media_source.source_type, []]);
    ids.push(pin.id);
  }
  await world.act('comment', { person: FRED, pin: ids[0]!, text: 'Lovely' });
  expect(flawsOf('Pin', await ask('GET', `/pins/${ids[0]}?pin_metrics=true`))).toEqual([]);
  expect(flawsOf('Pin', await ask('PATCH', `/pins/${ids[0]}`, { link: 'https://example.com' }))).toEqual([]);
  expect(flawsOf('Pin', (await ask('GET', '/pins')).items.at(-1))).toEqual([]);

  const days = 'start_date=2026-11-14&end_date=2026-11-21';
  const one = await ask('GET', `/pins/${ids[0]}/analytics?${days}&metric_types=ALL`);
  expect([Object.keys(one), flawsOf('PinAnalyticsResponse', one)]).toEqual([['all'], []]);
  const many = await ask('GET', `/pins/analytics?pin_ids=${ids.join(',')}&${days}&metric_types=IMPRESSION,SAVE`);
  expect([Object.keys(many).toSorted(), flawsOf('BulkPinAnalyticsResponse', many)]).toEqual([ids.toSorted(), []]);
  const whole = await ask('GET', `/user_account/analytics?${days}`);
  expect([Object.keys(whole), flawsOf('AnalyticsResponse', whole)]).toEqual([['all'], []]);

  for (const [path, access] of [
    ['/pins/1', token],
    ['/pins', 'nonsense'],
    ['/boards?page_size=251', token],
  ] as const)
    expect([path, flawsOf('Error', (await world.call('GET', path, access)).json)]).toEqual([path, []]);
  // The schema would notice what does not belong.
  expect(flawsOf('Pin', { ...(await ask('GET', `/pins/${ids[0]}`)), colour: 'red' })).not.toEqual([]);
});
