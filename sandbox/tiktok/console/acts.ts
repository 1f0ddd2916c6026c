import {
  flag,
  long,
  maybe,
  number,
  oneOf,
  optional,
  text,
  wordsIn,
  type Act,
  type ActTable,
  type Acts,
} from '../../kit/acts.ts';
import { PageError } from '../../forms.ts';
import { codeAndMessage } from '../../kit/api/orders.ts';
import { worldActs } from '../../kit/world.ts';
import type { Parts } from '../parts.ts';
import { INTERACTIONS, PRIVACY, PRODUCTS, type About, type Privacy } from '../docs.ts';
import { makeActionFields, type ActionFields } from './action-fields.ts';
import { talkActs, viewerActs } from './people.ts';

const MOST_PROOF = 1024;

function creatorActs(
  { world, names, login, events, publications }: Parts,
  { act, account: creator, post, draft, media }: ActionFields,
): Acts {
  const { docs, options } = world;
  const drafted = (text: string, privacy = PRIVACY[0] as Privacy): About => ({
    kind: 'video',
    title: '',
    text,
    privacy,
    forbids: [],
    more: {},
  });
  return {
    post: act('creators', 'Post without the app', { creator, text: long('Text'), url: media }, ({ url, ...text }) => {
      const blobs = url === undefined ? [] : [url.id];
      return publications.newPost(text.creator.id, drafted(text.text), blobs, false, options.clock.now());
    }),
    post_draft: act(
      'creators',
      'Post a draft from the inbox',
      { draft, text: long('Text'), privacy: oneOf('Who sees it', PRIVACY) },
      (form) => {
        const about = { ...drafted(form.text, form.privacy as Privacy), kind: form.draft.about.kind };
        return publications.post(docs.change('publication', form.draft.id, { about }));
      },
    ),
    allow: act(
      'creators',
      'Set what an account allows',
      {
        creator,
        private: optional(flag('Private account')),
        forbids: maybe(`Forbidden, with commas: ${INTERACTIONS.join(', ')}`),
        longest: optional(number('Longest video in seconds')),
      },
      ({ creator: { id }, private: isPrivate, forbids, longest }) =>
        docs.change('person', id, { isPrivate, forbids: wordsIn(forbids) ?? [], longest_s: Number(longest ?? 600) }),
    ),
    api_key: act('creators', 'Get an access token of the API for Business', { creator }, ({ creator: { id } }) => ({
      access_token: login.keyOf(id),
      business_id: names.openId('business', id),
    })),
    remove_app: act('creators', 'Remove the app from an account', { creator }, ({ creator: { id } }) =>
      PRODUCTS.forEach((product) => events.remove(product, id, 1)),
    ),
    delete_post: act('creators', 'Delete a post', { post }, (it) => publications.remove(it.post)),
    take_down: act('twin', 'Take a post down', { post }, (it) => publications.remove(it.post, true)),
    verify: makeVerifying(world),
  };
}

/** Verifies a URL with the file that the developer portal asks for. */
function makeVerifying({ fetching, files, settings }: Parts['world']): Act {
  return {
    group: 'twin',
    title: 'Verify a prefix of addresses',
    fields: { prefix: text('Prefix'), signature: text('Signature of the file') },
    async run({ prefix = '', signature = '' }) {
      const blob = await fetching.media(`${prefix}tiktok${signature}.txt`, MOST_PROOF, 0);
      const proof = blob === undefined ? '' : files.head(blob.id).toString();
      if (proof.trim() !== `tiktok-developers-site-verification=${signature}`)
        throw new PageError(404, 'The file does not prove that the prefix is the app’s.');
      settings.set({ verified: [settings.get('verified'), prefix].filter(Boolean).join(',') });
    },
  };
}

export function tiktokActs(parts: Parts): ActTable {
  const { world, login } = parts;
  const actionFields = makeActionFields(parts);
  return {
    acts: {
      ...viewerActs(parts, actionFields),
      ...talkActs(parts, actionFields),
      ...creatorActs(parts, actionFields),
      consent: login.consent.act((words) => words),
      ...worldActs(world, { ...codeAndMessage('internal_error', 'Ordered'), lowest: 200 }),
    },
    groups: { viewers: 'What people do', creators: 'What creators do', twin: 'How TikTok behaves' },
  };
}
