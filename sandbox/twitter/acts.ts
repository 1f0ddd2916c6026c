import {
  actsIn,
  byName,
  flag,
  long,
  maybe,
  maybeOne,
  number,
  optional,
  pick,
  short,
  text,
  type Acts,
  type ActTable,
} from '../kit/acts.ts';
import { pickPerson } from '../kit/action-fields.ts';
import { worldActs } from '../kit/world.ts';
import type { Parts } from './api/calls.ts';
import type { Login } from './login.ts';
import { conversationOf } from './authoring.ts';

type ActionFields = ReturnType<typeof makeActionFields>;
const words = { text: long('Text') };
const picture = { picture: optional(flag('With a picture')) };

function makeActionFields({ world: { people, options, pickDoc }, users, apps }: Parts) {
  const nameOf = (id: string) => users.get(id)?.name ?? '';
  return {
    act: actsIn(options.store),
    person: pickPerson('Who', users.find, people.followers),
    account: pickPerson('Account', users.find, people.owners),
    app: pick(
      'App',
      'app',
      (id) => apps.get(id) ?? apps.of(users.find(id)?.id ?? '')[0],
      () => byName(apps.all()),
    ),
    post: pickDoc('post', (one) => short(`${nameOf(one.page_id)}: ${one.text}`)),
  };
}

function peopleActs({ posts, talk, users, world }: Parts, { act, person, account, post }: ActionFields): Acts {
  const { docs, files, newId, options } = world;
  function attach(by: string, category: string): string {
    const [at, { id: blob }] = [options.clock.now(), files.open('picture.png')];
    const own = { page_id: by, category, mime: 'image/png', total: 0, segments: {}, blob, ready_at: at };
    return docs.put('medium', { id: newId(), at, ...own }).id;
  }
  const on = { person, post };
  const to = { person, account };
  return {
    reply: act('people', 'Reply to a post', { ...on, ...words, ...picture }, (form) => {
      const media = form.picture ? [attach(form.person.id, 'tweet_image')] : [];
      return posts.create(form.person.id, { text: form.text, reply_to: form.post.id, media }).id;
    }),
    mention: act(
      'people',
      'Name an account in a post',
      { ...to, ...words },
      ({ person: { id }, account: of, text }) => {
        return posts.create(id, { text: `@${users.nameOf(of)} ${text}` }).id;
      },
    ),
    quote: act('people', 'Quote a post', { ...on, ...words }, ({ person: { id }, post: { id: quoted }, text }) => {
      return posts.create(id, { text: text, quoted }).id;
    }),
    publish: act('people', 'Post something', { person, ...words }, (form) => posts.create(form.person.id, form).id),
    like: act('people', 'Like a post', on, (form) => posts.like(form.post, form.person.id, true)),
    repost: act('people', 'Repost a post', on, (form) => posts.repost(form.post, form.person.id)),
    delete_post: act('people', 'Delete a post', { post }, (form) => posts.remove(form.post)),
    dm: act('people', 'Write to an account', { ...to, text: optional(long('Text')), ...picture }, (form) => {
      const [by, conversation] = [form.person.id, conversationOf(form.person.id, form.account.id)];
      return talk.say(by, conversation, form.text ?? '', form.picture ? attach(by, 'dm_image') : undefined).id;
    }),
    read: act('people', 'Read what an account wrote', to, ({ person: { id }, account: by }) => {
      talk.read(id, conversationOf(id, by.id));
    }),
    shut_out: act(
      'people',
      'Take messages, or none',
      { person, account: maybeOne(account), shut: flag('Takes none') },
      (form) => {
        const [who, { id, shuts_out = [] }] = [form.account?.id ?? 'everybody', form.person];
        users.change(id, { shuts_out: [...shuts_out.filter((one) => one !== who), ...(form.shut ? [who] : [])] });
      },
    ),
  };
}

/** What owners do without the product, and what customers do with their apps. */
function ownerActs({ posts, talk, users, apps, events }: Parts, login: Login, actionFields: ActionFields): Acts {
  const { act, person, account, app, post } = actionFields;
  const about = {
    name: text('Name'),
    callback: maybe('Callback; empty is any'),
    is_public: optional(flag('No secret')),
  };
  function end(user: string, client: string): void {
    login.tokens.revoke(user, client);
    events.revoked(user, client);
  }
  return {
    post: act('owners', 'Post as an account, without an app', { account, ...words }, (form) => {
      return posts.create(form.account.id, { text: form.text }).id;
    }),
    answer: act('owners', 'Write as an account, without an app', { account, person, ...words }, (form) => {
      return talk.say(form.account.id, conversationOf(form.account.id, form.person.id), form.text).id;
    }),
    hide: act('owners', 'Hide a reply', { post, hidden: flag('Hidden') }, (form) => posts.hide(form.post, form.hidden)),
    premium: act('owners', 'Have Premium, or no more', { account, premium: flag('Premium') }, (form) => {
      users.change(form.account.id, { premium: form.premium });
    }),
    revoke_app: act('owners', 'Take the rights of apps away', { account, app: maybeOne(app) }, (form) => {
      for (const { id } of form.app === undefined ? apps.all() : [form.app]) end(form.account.id, id);
    }),
    make_app: act('apps', 'Make an app', { account, ...about }, ({ account: { id }, name, callback = '', is_public }) =>
      apps.make(id, name, { callback, is_public }),
    ),
    renew_app: act('apps', 'Make new secrets for an app', { app }, (form) => apps.renew(form.app.id)),
    delete_app: act('apps', 'Delete an app', { app }, (form) => {
      for (const { id } of users.all()) end(id, form.app.id);
      apps.remove(form.app.id);
    }),
  };
}

const ERROR = Object.freeze({
  title: maybe('Title'),
  detail: maybe('Detail'),
  type: maybe('Last part of its type'),
  reason: maybe('Reason'),
  error: maybe('Error of the log-in'),
  reset: optional(number('Seconds until the window ends')),
});

export function twitterActs(parts: Parts, login: Login): ActTable {
  const actionFields = makeActionFields(parts);
  return {
    groups: {
      people: 'What people do',
      owners: 'What owners of accounts do',
      apps: 'What customers do with their apps',
      twin: 'How X behaves',
    },
    acts: {
      ...peopleActs(parts, actionFields),
      ...ownerActs(parts, login, actionFields),
      consent: login.consent.act((id) => id),
      spend_reads: actionFields.act(
        'twin',
        'Spend what an app may read this month',
        { app: actionFields.app, count: number('Posts') },
        (form) => {
          parts.world.usage.add(form.app.id, Number(form.count));
        },
      ),
      prove_webhooks: {
        group: 'twin',
        title: 'Have all webhooks prove themselves',
        fields: {},
        run: parts.events.hooks.proveAll,
      },
      ...worldActs(parts.world, {
        fields: ERROR,
        read({ title = 'Error', detail = title, type = '', reason = '', error = '', reset = '0' }, status) {
          return { status, title, detail, type, reason, error, reset: Number(reset) };
        },
      }),
    },
  };
}
