import { PageError } from '../../forms.ts';
import { GROUPS as GRAPH_GROUPS } from '../../graph/people/cast.ts';
import { long, maybe, oneOf, text, type Acts } from '../../kit/acts.ts';
import { businessOf } from '../business/accounts.ts';
import { review } from '../templates/templates.ts';
import type { World } from '../world.ts';
import { makeActionFields, type ActionFields, type Parts } from './action-fields.ts';
import { choosingActs, writingActs } from './customers.ts';

export const GROUPS = Object.freeze({
  customer: 'What customers do',
  reviewer: 'What reviewers of templates do',
  number: 'What businesses do on their own phones',
  owner: GRAPH_GROUPS.owner,
  twin: GRAPH_GROUPS.twin,
});
const EVENTS = ['APPROVED', 'REJECTED', 'PAUSED', 'DISABLED', 'REINSTATED'] as const;

function reviewerActs(world: World, { act, template }: ActionFields): Acts {
  const campaign = (title: string, inCampaign: boolean) =>
    act('reviewer', title, { template }, (of) => world.nodes.change('template', of.template.id, { inCampaign }));
  return {
    review: act(
      'reviewer',
      'Decide on a template',
      { template, event: oneOf('Decision', EVENTS), reason: maybe('Reason, such as INVALID_FORMAT') },
      (of) => review(world, of.template, of.event, of.reason),
    ),
    start_campaign: campaign('Use a template in a campaign', true),
    end_campaign: campaign('End the campaign of a template', false),
  };
}

function businessActs(world: World, { customers, chats }: Parts, actionFields: ActionFields): Acts {
  const { nodes, updates } = world;
  const { act, owner, account, person } = actionFields;
  const number = { ...actionFields.number, label: 'Number' };
  return {
    phone_message: act(
      'number',
      'Write from the phone of the business',
      { number, person: { ...person, label: 'To' }, text: long('Text') },
      ({ text: body, ...by }) => chats.echo(by.number, by.person, { type: 'text', content: { body }, text: body }),
    ),
    ban_number: act('twin', 'Ban a number, or let it send again', { number }, ({ number: { id, isBanned } }) =>
      nodes.change('number', id, { isBanned: isBanned !== true }),
    ),
    remove_partner: act(
      'owner',
      'Remove the app from one WhatsApp account',
      { person: owner, account },
      ({ person: { id: who }, account: { id } }) => {
        const grant = nodes.get('grant', who);
        if (grant?.pages.includes(id) !== true) throw new PageError(404, 'The app has no access to this account.');
        const waba_info = { waba_id: id, owner_business_id: businessOf(world, id) };
        updates.change(id, 'account_update', { event: 'PARTNER_REMOVED', waba_info });
        nodes.change('grant', who, { pages: grant.pages.filter((one) => one !== id) });
        nodes.change('page', id, { subscription: undefined });
      },
    ),
    add_customer: act(
      'twin',
      'Let somebody join WhatsApp',
      { digits: text('Phone number, digits only'), name: text('Name'), country: maybe('Country, such as US') },
      ({ digits, name, country = 'US' }) => {
        if (!/^\d{7,15}$/.test(digits)) throw new PageError(400, 'A phone number has 7 to 15 digits.');
        return customers.add(digits, name, country);
      },
    ),
  };
}

export function whatsappActs(world: World, parts: Parts): Acts {
  const actionFields = makeActionFields(world, parts);
  return {
    ...writingActs(world, parts, actionFields),
    ...choosingActs(world, parts, actionFields),
    ...reviewerActs(world, actionFields),
    ...businessActs(world, parts, actionFields),
  };
}
