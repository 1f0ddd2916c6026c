/** Google publishes no client of the v4 API for Node; the fields of its resources are known from a generated one. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FRED, MIA, openGoogleTwin, photo, type GoogleWorld } from '../harness/worlds/twins/google.ts';
import { openOracle } from './oracle.ts';

const { flawsOf } = openOracle<
  | 'ListLocalPostsResponse'
  | 'ListMediaItemsResponse'
  | 'ListReviewsResponse'
  | 'LocalPost'
  | 'MediaItem'
  | 'MediaItemDataRef'
  | 'Review'
  | 'ReviewReply'
>('google-business.json');

let world: GoogleWorld;
let token: string;
let cafe: string;
beforeAll(async () => {
  world = await openGoogleTwin();
  token = (await world.login()).access_token;
  cafe = (await world.places(token))['Harbour Café']!.name;
});
afterAll(() => world.close());

const ask = async (verb: string, path: string, body?: object) => {
  const { status, json } = await world.v4(verb, path, token, body);
  expect([path, status]).toEqual([path, 200]);
  return json;
};

it('the twin of Google Business Profile has the fields of the v4 API, and no others', async () => {
  const sourceUrl = world.app.put('a.jpg', photo(), 'image/jpeg');
  const date = { year: 2026, month: 12, day: 1 };
  const event = { title: 'Market', schedule: { startDate: date, startTime: { hours: 9 }, endDate: date } };
  const offer = { couponCode: 'A', redeemOnlineUrl: 'https://example.com', termsConditions: 'Once.' };
  const media = [{ mediaFormat: 'PHOTO', sourceUrl }];
  for (const body of [
    { summary: 'Bread', callToAction: { actionType: 'CALL' }, media },
    { topicType: 'EVENT', summary: 'Come', event },
    { topicType: 'OFFER', summary: 'Half', event, offer },
  ])
    expect(flawsOf('LocalPost', await ask('POST', `${cafe}/localPosts`, body))).toEqual([]);
  const posts = await ask('GET', `${cafe}/localPosts?pageSize=2`);
  expect([posts.localPosts.length, flawsOf('ListLocalPostsResponse', posts)]).toEqual([2, []]);

  const { resourceName } = await ask('POST', `${cafe}/media:startUpload`);
  expect(flawsOf('MediaItemDataRef', { resourceName })).toEqual([]);
  const item = { mediaFormat: 'PHOTO', locationAssociation: { category: 'COVER' }, sourceUrl, description: 'Front' };
  expect(flawsOf('MediaItem', await ask('POST', `${cafe}/media`, item))).toEqual([]);
  await world.act('customer_photo', { person: FRED, location: 'Harbour Café', picture_url: sourceUrl });
  for (const path of ['media', 'media/customers']) {
    const list = await ask('GET', `${cafe}/${path}`);
    expect([list.mediaItems.length, flawsOf('ListMediaItemsResponse', list)]).toEqual([1, []]);
  }

  const review = await world.act('write_review', {
    person: FRED,
    location: 'Harbour Café',
    stars: 4,
    text: 'Good',
    picture_url: sourceUrl,
  });
  await world.act('write_review', { person: MIA, location: 'Harbour Café', stars: 1, anonymous: true });
  await world.settings({ reply_verdict: 'REJECTED' });
  const name = `${cafe}/reviews/${review.id}`;
  expect(flawsOf('ReviewReply', await ask('PUT', `${name}/reply`, { comment: 'Thanks' }))).toEqual([]);
  expect(flawsOf('Review', await ask('GET', name))).toEqual([]);
  const reviews = await ask('GET', `${cafe}/reviews`);
  expect([reviews.reviews.length, flawsOf('ListReviewsResponse', reviews)]).toEqual([2, []]);
  // The schema would notice what does not belong.
  expect(flawsOf('Review', { ...review, name })).not.toEqual([]);
});
