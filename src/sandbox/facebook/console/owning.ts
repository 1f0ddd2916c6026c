import { PageError } from '../../forms.ts';
import { isOn, must } from '../../kit/acts.ts';
import type { Act, Acts, Field, Values } from '../../kit/acts.ts';
import type { Dialog } from '../../graph/dialog.ts';
import type { Person } from '../docs.ts';
import type { OAuth } from '../../graph/oauth.ts';
import { TASKS } from '../people.ts';
import { DEFAULTS } from '../../kit/settings.ts';
import type { SettingValues } from '../../kit/settings.ts';
import type { World } from '../world.ts';

const person = { label: 'Who', kind: 'owner' } as const;
const page = { label: 'Page', kind: 'page' } as const;
const text = (label: string) => ({ label, kind: 'text' }) as const;
const maybe = (label: string, kind: 'text' | 'number' | 'flag' = 'text') => ({ label, kind, optional: true }) as const;
const list = (value: string | undefined) =>
  value
    ?.split(',')
    .map((one) => one.trim())
    .filter(Boolean);

/** How the twin itself is set. */
function makeTwinActs(world: World) {
  const { settings, pushes } = world;

  const twin: Acts = {
    settings: {
      group: 'twin',
      title: 'Behave differently',
      fields: Object.fromEntries(
        Object.entries(DEFAULTS).flatMap(([name, value]) =>
          name === 'verified_url'
            ? []
            : [[name, { label: name.replaceAll('_', ' '), optional: true, ...kindOf(value) } as const]],
        ),
      ),
      run(values: Values) {
        const given = Object.entries(values).flatMap(([name, value]) => {
          const normal = DEFAULTS[name as keyof typeof DEFAULTS];
          if (value === undefined) return [];
          return [
            [name, typeof normal === 'number' ? Number(value) : typeof normal === 'boolean' ? isOn(value) : value],
          ];
        });
        settings.set(Object.fromEntries(given) as Partial<SettingValues>);
        return settings.all();
      },
    },
    callback: {
      group: 'twin',
      title: 'Send its updates elsewhere',
      fields: { url: maybe('Callback address; empty is the product’s own'), verify_token: maybe('Verify token') },
      async run(values: Values) {
        settings.set({
          callback_url: values['url'] ?? '',
          ...(values['verify_token'] !== undefined && { verify_token: values['verify_token'] }),
        });
        return { verified: await pushes.verify() };
      },
    },
    order: {
      group: 'twin',
      title: 'Answer with an error that is ordered',
      fields: {
        method: maybe('Call; empty is any'),
        when: { label: 'When', kind: 'choice', choices: ['before', 'after'] },
        code: { label: 'Code', kind: 'number' },
        subcode: maybe('Subcode', 'number'),
        status: maybe('HTTP status', 'number'),
        is_transient: maybe('Transient', 'flag'),
        message: maybe('Message'),
        times: maybe('Times', 'number'),
      },
      run(values: Values) {
        const {
          subcode,
          status = '400',
          is_transient,
          message = 'An ordered error',
          times = '1',
          method = '',
        } = values;
        const httpStatus = Number(status);
        if (httpStatus < 400 || httpStatus > 599) throw new PageError(400, 'An error has a status from 400 to 599.');
        settings.force(
          {
            method,
            when: values['when'] === 'after' ? 'after' : 'before',
            status: httpStatus,
            code: Number(values['code']),
            message,
            ...(subcode !== undefined && { subcode: Number(subcode) }),
            ...(is_transient !== undefined && { is_transient: isOn(is_transient) }),
          },
          Number(times),
        );
      },
    },
    flush: { group: 'twin', title: 'Send all waiting updates now', fields: {}, run: () => pushes.flush() },
    resend: {
      group: 'twin',
      title: 'Send a delivery again',
      fields: { push: { label: 'Delivery number', kind: 'number' } },
      run: (values: Values) => pushes.again(Number(values['push'])),
    },
  };

  return twin;
}

/** What owners of Pages do in Facebook's own settings, and how the twin itself is set. */
export function makeOwning(world: World, oauth: OAuth, dialog: Dialog): Acts {
  const { store, nodes, people, pushes } = world;

  function who(values: Values): Person {
    const found = people.find(must(values, 'person'));
    if (found === undefined) throw new PageError(404, 'There is no such person.');
    return found;
  }
  function pageId(words: string): string {
    const found = people.findPage(words);
    if (found === undefined) throw new PageError(404, 'There is no such Page.');
    return found.id;
  }

  const owner: Acts = {
    revoke_app: {
      group: 'owner',
      title: 'Remove the app from an account',
      fields: { person },
      run(values: Values) {
        const { id } = who(values);
        if (nodes.get('grant', id) === undefined) throw new PageError(404, 'The app has no access to this account.');
        oauth.remove(id);
        pushes.announce('deauthorize', id);
      },
    },
    delete_data: {
      group: 'owner',
      title: 'Ask the app to delete the data',
      fields: { person },
      run: (values: Values) => pushes.announce('data_deletion', who(values).id),
    },
    change_password: {
      group: 'owner',
      title: 'Change the password',
      fields: { person },
      run: (values: Values) =>
        store.write(() => nodes.change('person', who(values).id, { session_no: who(values).session_no + 1 })),
    },
    remove_page: {
      group: 'owner',
      title: 'Lose the role on a Page',
      fields: { person, page },
      run: (values: Values) => store.write(() => people.setRole(who(values).id, pageId(must(values, 'page')), [])),
    },
    set_tasks: {
      group: 'owner',
      title: 'Have other tasks on a Page',
      fields: { person, page, tasks: maybe(`Tasks, of ${TASKS.join(', ')}; none named means all`) },
      run: (values: Values) =>
        store.write(() => people.setRole(who(values).id, pageId(must(values, 'page')), list(values['tasks']) ?? TASKS)),
    },
    add_page: {
      group: 'owner',
      title: 'Open a Page',
      fields: { person, name: text('Name') },
      run: (values: Values) => store.write(() => people.addPage(who(values), must(values, 'name'))),
    },
  };

  const twin = makeTwinActs(world);

  /** For programs alone: a browser has the dialog. */
  const consent: Act = {
    group: 'twin',
    title: 'Go through the log-in dialog',
    fields: {
      url: text('Dialog address'),
      person: maybe('Who'),
      pages: maybe('Pages'),
      scopes: maybe('Permissions'),
      deny: maybe('Deny', 'flag'),
    },
    run({ url = '', person: name = '', pages, scopes, deny }: Values) {
      if (!URL.canParse(url)) throw new PageError(400, 'The dialog address cannot be read.');
      const choice = { person: name, pages: list(pages)?.map(pageId), scopes: list(scopes), deny: isOn(deny) };
      return { location: dialog.decide(new URL(url).searchParams, choice) };
    },
  };
  return Object.freeze({ ...owner, ...twin, consent });
}

function kindOf(value: unknown): Pick<Field, 'kind' | 'choices'> {
  if (typeof value === 'boolean') return { kind: 'choice', choices: ['true', 'false'] };
  return { kind: typeof value === 'number' ? 'number' : 'text' };
}
