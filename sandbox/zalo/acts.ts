import { long, maybe, text, type ActTable, type Acts } from '../kit/acts.ts';
import { worldActs } from '../kit/world.ts';
import type { Parts } from './api/calls.ts';
import type { Articles } from './articles.ts';
import type { Login } from './login.ts';
import { makeActionFields, userActs, writingActs, type ActionFields } from './users.ts';

function ownerActs({ world, talk }: Parts, articles: Articles, login: Login, actionFields: ActionFields): Acts {
  const { act, pair, account, article, tieOf } = actionFields;
  return {
    answer: act(
      'owners',
      'Write to a user as the official account, without the app',
      { ...pair, text: long('Text') },
      (form) => talk.fromAccount(tieOf(form), 'text', { type: 'text', text: form.text, attachments: [] }).message.id,
    ),
    post: act(
      'owners',
      'Publish an article without the app',
      { account, title: text('Title'), text: long('Text') },
      (form) => {
        const { title, text: content } = form;
        const body = { title, author: '', description: '', body: [{ type: 'text', content }] };
        const job = articles.begin(form.account.id, { type: 'normal', ...body, status: 'show' });
        return world.docs.get('job', job)!.article;
      },
    ),
    remove_article: act('owners', 'Remove an article without the app', { article }, (it) =>
      articles.remove(it.article),
    ),
    revoke_app: act('owners', 'Remove the app from an official account', { account }, (of) =>
      login.remove(of.account.id),
    ),
  };
}

export function zaloActs(parts: Parts, articles: Articles, login: Login): ActTable {
  const actionFields = makeActionFields(parts);
  return {
    acts: {
      ...writingActs(parts, actionFields),
      ...userActs(parts, actionFields),
      ...ownerActs(parts, articles, login, actionFields),
      consent: login.consent.act((words) => words),
      ...worldActs(parts.world, {
        fields: { error: maybe('Number of the error'), message: maybe('Message') },
        read: ({ error = '-1', message = 'System error' }, status) => ({ status, number: Number(error), message }),
        lowest: 200,
      }),
    },
    groups: { people: 'What people do', owners: 'What official accounts do', twin: 'How Zalo behaves' },
  };
}
