import { expect, it } from 'vitest';
import { readConfig } from '../../src/kernel/config.ts';

it('says what of Bluesky is elsewhere, and nothing of what is not', () => {
  expect(readConfig({}).bluesky).toEqual({});
  const env = { BLUESKY_SERVICE: 'https://pds.example.org/', BLUESKY_CHAT_DID: 'did:web:chat.example.org' };
  expect(readConfig(env).bluesky).toStrictEqual({
    service: 'https://pds.example.org',
    chat: 'did:web:chat.example.org',
  });
});

it.each(['chat.example.org', 'did:web:', 'did:web:a b', 'did:web:a#bsky_chat'])('takes no %j for a DID', (wrong) => {
  expect(() => readConfig({ BLUESKY_CHAT_DID: wrong })).toThrow('BLUESKY_CHAT_DID must be a DID');
});
