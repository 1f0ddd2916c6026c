/** What people do on Zalo, and how it behaves. */
import { long, maybe, must, newest, short, text, there, type ActTable, type Acts, type Values } from '../kit/acts.ts';
import { orderAct, type Orders } from '../kit/api/orders.ts';
import { pushActs } from '../kit/push/pushes.ts';
import { settingsAct } from '../kit/settings.ts';
import type { Parts } from './api/calls.ts';
import type { Articles } from './articles.ts';
import { SETTINGS } from './docs.ts';
import type { Login } from './login.ts';
import { ACCOUNT, makeStage, PAIR, userActs, writingActs, type Stage } from './users.ts';

/** An error that a test has ordered. */
export type OrderedError = Readonly<{ status: number; number: number; message: string }>;

/** What the administrators of official accounts do by themselves. */
function ownerActs({ world, talk }: Parts, stage: Stage, articles: Articles, login: Login): Acts {
  const { docs, options } = world;
  const { store } = options;
  return {
    answer: {
      group: 'owners',
      title: 'Write to a user as the official account, without the app',
      fields: { ...PAIR, text: long('Text') },
      run(values: Values) {
        const tie = stage.tie(values);
        const said = { type: 'text', text: must(values, 'text'), attachments: [] } as const;
        return store.write(() => talk.fromAccount(tie, 'text', said).message.id);
      },
    },
    post: {
      group: 'owners',
      title: 'Publish an article without the app',
      fields: { account: ACCOUNT, title: text('Title'), text: long('Text') },
      run: (values: Values) =>
        store.write(() => {
          const [title, content] = [must(values, 'title'), must(values, 'text')];
          const body = {
            type: 'normal',
            title,
            author: '',
            description: '',
            body: [{ type: 'text', content }],
            status: 'show',
          };
          return docs.get('job', articles.begin(stage.account(values), body))!.article;
        }),
    },
    remove_article: {
      group: 'owners',
      title: 'Remove an article without the app',
      fields: { article: { label: 'Article', kind: 'article' } },
      run: (values: Values) =>
        store.write(() => articles.remove(there(docs.get('article', must(values, 'article')), 'article'))),
    },
    revoke_app: {
      group: 'owners',
      title: 'Remove the app from an official account',
      fields: { account: ACCOUNT },
      run: (values: Values) => login.remove(stage.account(values)),
    },
  };
}

/** Everything that can be done on the twin, and what its fields are chosen from. */
export function zaloActs(parts: Parts, articles: Articles, login: Login, orders: Orders<OrderedError>): ActTable {
  const { world, ties, events } = parts;
  const { docs, people, settings } = world;
  const stage = makeStage(parts);
  const named = ({ handle, name }: Readonly<{ handle: string; name: string }>) => ({ value: handle, label: name });
  return {
    acts: {
      ...writingActs(parts, stage),
      ...userActs(parts, stage),
      ...ownerActs(parts, stage, articles, login),
      consent: login.consent.act((words) => words),
      order: orderAct(
        orders,
        { error: maybe('Number of the error'), message: maybe('Message') },
        ({ error = '-1', message = 'System error' }, status) => ({ status, number: Number(error), message }),
        200,
      ),
      settings: settingsAct(settings, SETTINGS),
      ...pushActs(events.pushes),
    },
    groups: { people: 'What people do', owners: 'What official accounts do', twin: 'How Zalo behaves' },
    lists: {
      account: () => people.owners().map(named),
      person: () => people.followers().map(named),
      message: () =>
        newest(docs.list('message')).map(({ id, parent_id, text: words, type }) => ({
          value: id,
          label: `${ties.nameOf(ties.get(parent_id)!)}: ${short(words || type)}`,
        })),
      article: () =>
        newest(docs.list('article')).map(({ id, body }) => ({ value: id, label: short(String(body['title'])) })),
    },
  };
}
