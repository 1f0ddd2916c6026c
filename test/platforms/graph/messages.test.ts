import { expect, it } from 'vitest';
import { jpeg } from '../../harness/media-samples.ts';
import { openStage, setUp } from '../conformance/stage.ts';
import type { Subject } from '../conformance/subject.ts';
import { facebookSubject } from '../conformance/subjects/facebook.ts';
import { instagramSubjects } from '../conformance/subjects/instagram.ts';

const MB = 1024 * 1024;

/** Sends messages in a conversation of a platform; the status of each, and the field that is wrong. */
async function send(subject: Subject, ...messages: readonly object[]) {
  const stage = await openStage(subject);
  const { account, conversation, rest } = await setUp(stage, subject);
  const bytes = Buffer.concat([jpeg(1080, 1080), Buffer.alloc(8 * MB)]);
  const source = await stage.upload('photo.jpg', 'image/jpeg', bytes);
  const attachments = [{ type: 'image', source, source_type: 'media_id' }];
  const said = [];
  for (const message of [...messages, { attachments }]) {
    const { status, body } = await rest(`POST /v1/inbox/conversations/${conversation}/messages`, {
      account_id: account,
      ...message,
    });
    said.push([status, body.error?.meta.issues?.[0].field ?? body.error?.meta.field]);
  }
  return said;
}

it('texts of Messenger have up to 2,000 characters, and its images 8 MB', async () => {
  const texts = [{ text: 'a'.repeat(2000) }, { text: 'a'.repeat(2001) }];
  expect(await send(facebookSubject, ...texts)).toEqual([
    [200, undefined],
    [400, 'text'],
    [400, 'attachments.0'],
  ]);
});

it('images in messages of Instagram have up to 8 MB', async () => {
  expect(await send(instagramSubjects[0]!)).toEqual([[400, 'attachments.0']]);
});
