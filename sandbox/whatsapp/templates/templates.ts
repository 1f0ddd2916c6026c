/** Templates, which the app manages and the network reviews. */
import { DAY } from '#kernel/clock.ts';
import { badParam } from '../../graph/api/errors.ts';
import { always, own, type NodeType } from '../../graph/api/render.ts';
import { drawList, drawOne, type Call, type Methods } from '../../graph/world.ts';
import { digits } from '../../kit/ids.ts';
import type { Template } from '../docs.ts';
import { methodsOf, type World } from '../world.ts';
import { CATEGORIES, flawed, readComponents } from './rules.ts';
import type { Templates } from './sending.ts';

const EDITABLE = new Set(['APPROVED', 'REJECTED', 'PAUSED']);
const MOST_EDITS = 10;
const MOST_TEMPLATES = 6000;
const FILTERS = ['name', 'status', 'category', 'language'];
const FIELDS = ['name', 'language', 'category', 'components', 'parameter_format', 'allow_category_change'];

const look: NodeType<Template> = {
  name: 'MessageTemplate',
  id: ({ id }) => id,
  defaultFields: ['name', 'parameter_format', 'components', 'language', 'status', 'category'],
  fields: {
    ...own('name', 'language', 'status', 'category', 'previous_category', 'components', 'parameter_format'),
    ...own('rejected_reason'),
    ...always({ last_updated_time: undefined }),
    quality_score: ({ at }) => ({ score: 'UNKNOWN', date: Math.floor(at / 1000) }),
  },
};

function writing({ nodes, clock }: World, templates: Templates) {
  function create({ params }: Call, account: string): object {
    const now = clock.now();
    const name = params.required('name');
    if (!/^[a-z0-9_]{1,512}$/.test(name))
      throw badParam('Param name must be made of lowercase letters, digits and underscores');
    const language = params.required('language');
    if (!/^[a-z]{2,3}(?:_[A-Z]{2,3})?$/.test(language)) throw badParam('Param language is not supported');
    params.required('category');
    const category = params.oneOf('category', CATEGORIES) ?? '';
    const parameter_format = params.oneOf('parameter_format', ['POSITIONAL', 'NAMED']) ?? 'POSITIONAL';
    const components = readComponents(params.list('components'), category, parameter_format === 'NAMED');
    const known = templates.of(account);
    if (known.length >= MOST_TEMPLATES) throw flawed('limit', 'There are too many templates already.');
    if (known.some((one) => one.name === name && one.language === language))
      throw flawed(
        'exists',
        `There is already ${language} content for this template. You can create a new template and try again.`,
      );
    const all = nodes.list('template', { page: account });
    if (all.some((one) => one.name === name && (one.deleted_at ?? 0) + 30 * DAY > now))
      throw flawed(
        'deleted',
        `New ${language} content can't be added while the existing content is being deleted. Try again in 4 weeks.`,
      );
    const { id, status } = nodes.put('template', {
      // Updates have the ids of templates as numbers, so they must fit into a double.
      id: digits(15),
      at: now,
      page_id: account,
      name,
      language,
      category,
      parameter_format,
      components,
      status: 'PENDING',
      rejected_reason: 'NONE',
      edits: [],
      inCampaign: false,
    });
    return { id, status, category };
  }

  function edit({ params }: Call, template: Template): void {
    const { id, status, edits, category: before, parameter_format, components: old } = template;
    const now = clock.now();
    if (!EDITABLE.has(status)) throw flawed('fixed', `A template that is ${status} cannot be edited.`);
    const month = edits.filter((at) => at > now - 30 * DAY);
    if (status === 'APPROVED' && (month.length >= MOST_EDITS || month.some((at) => at > now - DAY)))
      throw flawed('often', 'Try again later.');
    const category = params.oneOf('category', CATEGORIES) ?? before;
    const given = params.list('components');
    const components = given === undefined ? old : readComponents(given, category, parameter_format === 'NAMED');
    nodes.change('template', id, { components, category, status: 'PENDING', edits: [...month, now] });
  }

  return { create, edit };
}

export function templateMethods(world: World, templates: Templates): Methods {
  const { nodes, clock, store } = world;
  const { reads, changes, readsOf, writesOf } = methodsOf(world);
  const { create, edit } = writing(world, templates);

  function remove({ params }: Call, account: string): object {
    const name = params.required('name');
    const id = params.text('hsm_id');
    const found = templates.of(account).filter((one) => one.name === name && (id === undefined || one.id === id));
    if (found.length === 0) throw flawed('unknown', `There is no message template named ${name}.`);
    if (found.some(({ inCampaign }) => inCampaign))
      throw flawed('campaign', 'The message template is used by an active campaign. End the campaign and try again.');
    store.write(() => {
      for (const one of found) nodes.change('template', one.id, { deleted_at: clock.now(), status: 'DELETED' });
    });
    return { success: true };
  }

  function list(call: Call, account: string): object {
    const isWanted = (one: Template) =>
      one.name.includes(call.params.text('name') ?? '') &&
      (['status', 'category', 'language'] as const).every(
        (name) => (call.params.text(name) ?? one[name]) === one[name],
      );
    return drawList(call, look, `${account}/message_templates`, templates.of(account).toReversed().filter(isWanted));
  }

  return Object.freeze({
    'GET page/message_templates': readsOf('management', [...FILTERS, 'content'], list),
    'POST page/message_templates': writesOf('management', FIELDS, create),
    'DELETE page/message_templates': writesOf('management', ['name', 'hsm_id'], remove),
    'GET template': reads('template', 'management', [], (call, one) => drawOne(call, look, one)),
    'POST template': changes('template', 'management', ['category', 'components', 'message_send_ttl_seconds'], edit),
  });
}

export function review({ nodes, updates }: World, { id }: Template, event: string, reason = 'NONE'): Template {
  const status = event === 'REINSTATED' ? 'APPROVED' : event;
  const one = nodes.change('template', id, { status, rejected_reason: reason });
  updates.change(one.page_id, 'message_template_status_update', {
    event,
    message_template_id: Number(id),
    message_template_name: one.name,
    message_template_language: one.language,
    message_template_category: one.category,
    reason,
    ...(event === 'PAUSED' && { other_info: { title: 'FIRST_PAUSE', description: 'Paused for low quality.' } }),
    ...(event === 'DISABLED' && { disable_info: { disable_date: new Date(one.at).toISOString() } }),
  });
  return one;
}
