/** What people do on WhatsApp in the console and through the control door. */
import { PageError } from '../../forms.ts';
import { graphPushActs } from '../../graph/push/pushes.ts';
import { orderErrorAct } from '../../graph/api/errors.ts';
import type { OAuth } from '../../graph/oauth/oauth.ts';
import { GROUPS as GRAPH_GROUPS, makeCast, ownerActs } from '../../graph/people/cast.ts';
import { makeActs, maybe, must, newest, short, text, there } from '../../kit/acts.ts';
import type { Act, Acts, Choice, Values } from '../../kit/acts.ts';
import type { ConsentDialog } from '../../kit/oauth/consent.ts';
import type { Pushes } from '../../kit/push/pushes.ts';
import { settingsAct } from '../../kit/settings.ts';
import { businessOf } from '../business/accounts.ts';
import type { PhoneNumber, Template } from '../docs.ts';
import { makeReview } from '../templates/templates.ts';
import type { Templates } from '../templates/sending.ts';
import { SETTINGS } from '../world.ts';
import type { World } from '../world.ts';
import { customerActs } from './customers.ts';
import type { CustomerParts } from './customers.ts';

const GROUPS = Object.freeze({
  customer: 'What customers do',
  reviewer: 'What reviewers of templates do',
  number: 'What businesses do on their own phones',
  owner: GRAPH_GROUPS.owner,
  twin: GRAPH_GROUPS.twin,
});
const EVENTS = ['APPROVED', 'REJECTED', 'PAUSED', 'DISABLED', 'REINSTATED'] as const;
type ActParts = CustomerParts & Readonly<{ templates: Templates; oauth: OAuth; dialog: ConsentDialog; queue: Pushes }>;
const template = { label: 'Template', kind: 'template' } as const;

/** What becomes of templates. */
function reviewerActs(world: World): Acts {
  const { nodes } = world;
  const review = makeReview(world);
  const templateOf = (values: Values): Template =>
    there(
      nodes
        .list('template')
        .find(({ id, name, deleted_at }) => deleted_at === undefined && [id, name].includes(must(values, 'template'))),
      'template',
    );
  const campaign = (title: string, inCampaign: boolean): Act => ({
    group: 'reviewer',
    title,
    fields: { template },
    run: (values) => nodes.change('template', templateOf(values).id, { inCampaign }),
  });
  return {
    review: {
      group: 'reviewer',
      title: 'Decide on a template',
      fields: {
        template,
        event: { label: 'Decision', kind: 'choice', choices: EVENTS },
        reason: maybe('Reason, such as INVALID_FORMAT'),
      },
      run: (values) => review(templateOf(values), must(values, 'event'), values['reason']),
    },
    start_campaign: campaign('Use a template in a campaign', true),
    end_campaign: campaign('End the campaign of a template', false),
  };
}

/** What businesses do without the app. */
function businessActs(world: World, { customers, phones }: ActParts): Acts {
  const { nodes, people, store, updates } = world;
  const { who } = makeCast(world);
  const owner = { label: 'Who', kind: 'owner' } as const;
  const numberOf = (values: Values): PhoneNumber =>
    there(
      nodes.list('number').find(({ id, digits }) => [id, digits].includes(must(values, 'number'))),
      'number',
    );
  const number = { label: 'Number', kind: 'number_id' } as const;
  const account = { label: 'WhatsApp account', kind: 'account' } as const;

  return {
    phone_message: {
      group: 'number',
      title: 'Write from the phone of the business',
      fields: { number, person: { label: 'To', kind: 'customer' }, text: { label: 'Text', kind: 'long' } },
      run: (values) =>
        store.write(() => {
          const body = must(values, 'text');
          const to = there(customers.find(must(values, 'person')), 'customer');
          return phones.echo(numberOf(values), to, { type: 'text', content: { body }, text: body });
        }),
    },
    ban_number: {
      group: 'twin',
      title: 'Ban a number, or let it send again',
      fields: { number },
      run: (values) => {
        const { id, isBanned } = numberOf(values);
        return nodes.change('number', id, { isBanned: isBanned !== true });
      },
    },
    remove_partner: {
      group: 'owner',
      title: 'Remove the app from one WhatsApp account',
      fields: { person: owner, account },
      run: (values) =>
        store.write(() => {
          const { id } = there(people.findPage(must(values, 'account')), 'WhatsApp account');
          const person = who(values);
          const grant = nodes.get('grant', person.id);
          if (grant?.pages.includes(id) !== true) throw new PageError(404, 'The app has no access to this account.');
          updates.change(id, 'account_update', {
            event: 'PARTNER_REMOVED',
            waba_info: { waba_id: id, owner_business_id: businessOf(world, id) },
          });
          nodes.change('grant', person.id, { pages: grant.pages.filter((one) => one !== id) });
          nodes.change('page', id, { subscription: undefined });
        }),
    },
  };
}

function listsOf(
  { nodes, people }: World,
  { customers, templates }: ActParts,
): Record<string, () => readonly Choice[]> {
  const named = (all: readonly Readonly<{ id: string; name: string }>[]) =>
    all.map(({ id, name }) => ({ value: id, label: name }));
  const messages = (wanted: (one: { isOwn: boolean; choices: readonly unknown[] }) => boolean) => () =>
    newest(nodes.list('bubble').filter(wanted)).map(({ id, type, text: words }) => ({
      value: id,
      label: `${type}: ${short(words)}`,
    }));
  return {
    customer: () => named(customers.all()),
    owner: () => named(people.owners()),
    account: () => named(people.pages()),
    number_id: () =>
      nodes
        .list('number')
        .map(({ id, display, verified_name }) => ({ value: id, label: `${verified_name} ${display}` })),
    message: messages(() => true),
    tappable: messages(({ choices }) => choices.length > 0),
    template: () =>
      people
        .pages()
        .flatMap(({ id, name }) =>
          templates
            .of(id)
            .map((one) => ({ value: one.id, label: `${name}: ${one.name} (${one.language}, ${one.status})` })),
        ),
  };
}

/** Everything that can be done on the twin in the place of its people. */
export function whatsappActs(world: World, parts: ActParts) {
  const { settings, orders, pushes, people } = world;
  return makeActs({
    groups: GROUPS,
    lists: listsOf(world, parts),
    acts: {
      ...customerActs(world, parts),
      ...reviewerActs(world),
      ...businessActs(world, parts),
      ...ownerActs(world, parts.oauth),
      add_customer: {
        group: 'twin',
        title: 'Let somebody join WhatsApp',
        fields: {
          digits: text('Phone number, digits only'),
          name: text('Name'),
          country: maybe('Country, such as US'),
        },
        run(values) {
          const digits = must(values, 'digits');
          if (!/^\d{7,15}$/.test(digits)) throw new PageError(400, 'A phone number has 7 to 15 digits.');
          return parts.customers.add(digits, must(values, 'name'), values['country'] ?? 'US');
        },
      },
      settings: settingsAct(settings, SETTINGS, ['verified_url', 'read_lag_ms']),
      order: orderErrorAct(orders),
      ...graphPushActs(parts.queue, pushes, settings),
      consent: parts.dialog.act((words) => there(people.findPage(words), 'WhatsApp account').id, 'accounts'),
    },
  });
}
