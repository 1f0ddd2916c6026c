/** What the simulator of Pinterest answers is what the OpenAPI of Pinterest describes, and nothing else. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mp4, png } from '../harness/media-samples.ts';
import { FRED, openPinterestWorld, REDIRECT, type PinterestWorld } from '../harness/worlds/twins/pinterest.ts';
import { openDescription } from './described.ts';

const flaws = openDescription('pinterest-v5.json', ({ pathname }) => pathname);
type Reply = Awaited<ReturnType<PinterestWorld['call']>>;
/** What the OpenAPI has against a call and its answer. */
const flawsOf = (line: string, body: object | undefined, { status, text }: Reply) => {
  const [method = '', path = ''] = line.split(' ');
  const sent = Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const url = new URL(path, 'http://x');
  return flaws({ method, url, type: 'application/json', body: sent, answer: { status, body: text } });
};

let world: PinterestWorld;
beforeAll(async () => {
  world = await openPinterestWorld();
});
afterAll(() => world.close());

it('the twin of Pinterest has the fields of its OpenAPI, and no others', async () => {
  const form = { grant_type: 'authorization_code', redirect_uri: REDIRECT, code: await world.code() };
  const first = await world.token(form);
  expect(flawsOf('POST /oauth/token', form, first)).toEqual([]);
  const renewal = { grant_type: 'refresh_token', refresh_token: first.json.refresh_token };
  const second = await world.token(renewal);
  expect(flawsOf('POST /oauth/token', renewal, second)).toEqual([]);
  const token = second.json.access_token;

  const ask = async (verb: string, path: string, body?: Record<string, unknown>) => {
    const reply = await world.call(verb, path, token, body as never);
    expect([path, reply.status < 300 ? 'fine' : reply.text]).toEqual([path, 'fine']);
    expect([path, flawsOf(`${verb} ${path}`, body, reply)]).toEqual([path, []]);
    return reply.json;
  };
  await ask('GET', '/user_account');
  const board = await ask('POST', '/boards', { name: 'Autumn', description: 'Leaves' });
  await ask('GET', '/boards');
  const section = await ask('POST', `/boards/${board.id}/sections`, { name: 'Red' });

  const upload = await ask('POST', '/media', { media_type: 'video' });
  expect((await world.send(upload.upload_url, upload.upload_parameters, mp4())).status).toBe(204);
  world.clock.move(5000);
  await ask('GET', `/media/${upload.media_id}`);

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
  const about = { board_section_id: section.id, dominant_color: '#AABBCC', alt_text: 'Beans' };
  const ids: string[] = [];
  for (const media_source of sources) {
    const pin = await ask('POST', '/pins', { board_id: board.id, media_source, title: 'Beans', ...about });
    ids.push(pin.id);
  }
  await world.act('comment', { person: FRED, pin: ids[0]!, text: 'Lovely' });
  await ask('GET', `/pins/${ids[0]}?pin_metrics=true`);
  await ask('PATCH', `/pins/${ids[0]}`, { link: 'https://example.com' });
  await ask('GET', '/pins');

  for (const [path, access] of [
    ['/pins/1', token],
    ['/pins', 'nonsense'],
    ['/boards?bookmark=nonsense', token],
  ] as const) {
    const reply = await world.call('GET', path, access);
    expect([path, reply.status < 300, flawsOf(`GET ${path}`, undefined, reply)]).toEqual([path, false, []]);
  }
  const wrong = { board_id: 'my board', media_source: { source_type: 'image_base64' } };
  const refused = await world.call('POST', '/pins', token, wrong);
  const found = flawsOf('POST /pins', wrong, refused) ?? [];
  expect(found).toContain("POST /pins: /media_source must have required property 'content_type'");
  expect([refused.status, found.filter((flaw) => flaw.includes('answers'))]).toEqual([400, []]);
  const strange = JSON.stringify({ ...(await ask('GET', `/pins/${ids[0]}`)), colour: 'red' });
  expect(flawsOf('GET /pins/1', undefined, { ...second, text: strange })).toHaveLength(1);
});
