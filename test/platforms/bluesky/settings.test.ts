import { expect, it } from 'vitest';
import { applySettings } from '#compose/platform-settings.ts';
import { readConfig } from '#kernel/config/config.ts';
import { platforms } from '#platforms/index.ts';

function read(env: Record<string, string>) {
  const { settingsOf, ...applied } = applySettings(readConfig(platforms.values(), env), platforms);
  return { ...applied, given: settingsOf(platforms.get('bluesky')!, 'real') };
}

it('says what of Bluesky is elsewhere, and nothing of what is not', () => {
  expect(read({}).overrides).toEqual({});
  const env = { BLUESKY_SERVICE: 'https://pds.example.org/', BLUESKY_CHAT_DID: 'did:web:chat.example.org' };
  expect(read(env)).toStrictEqual({
    overrides: { bluesky: { service: 'https://pds.example.org', chat: 'did:web:chat.example.org' } },
    trusted: ['https://pds.example.org'],
    real: ['bluesky'],
    given: { ...env, BLUESKY_SERVICE: 'https://pds.example.org' },
  });
});

it.each(['chat.example.org', 'did:web:', 'did:web:a b', 'did:web:a#bsky_chat'])('takes no %j for a DID', (wrong) => {
  expect(() => read({ BLUESKY_CHAT_DID: wrong })).toThrow('BLUESKY_CHAT_DID must be a DID');
});
