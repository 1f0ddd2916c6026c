import { instantOf } from '../../googleapis/dates.ts';
import { isObject } from '../../kit/api/checks.ts';
import { invalidField } from '../refusals.ts';

const MOST_SUMMARY = 1500;
const MOST_MEDIA = 10;
const ACTIONS = new Set(['BOOK', 'ORDER', 'SHOP', 'LEARN_MORE', 'SIGN_UP', 'CALL']);
const TOPICS = new Set(['STANDARD', 'EVENT', 'OFFER', 'ALERT']);

type Fields = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

function checkUrl(value: unknown, field: string): void {
  const isAddress = isText(value) && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
  if (!isAddress) throw invalidField(field, 'The address is missing or not valid.', String(value).slice(0, 200));
}

function checkAction(action: unknown): void {
  if (!isObject(action)) throw invalidField('call_to_action', 'The call to action must be an object.');
  const { actionType, url } = action;
  if (!ACTIONS.has(String(actionType)))
    throw invalidField('call_to_action.action_type', 'The action type is missing or not known.', String(actionType));
  if (actionType !== 'CALL') checkUrl(url, 'call_to_action.url');
  else if (url !== undefined) throw invalidField('call_to_action.url', 'A call has no address.');
}

function checkEvent(event: unknown): void {
  const { title, schedule } = isObject(event) ? event : {};
  if (!isText(title)) throw invalidField('event.title', 'The event needs a title.');
  const { startDate, startTime, endDate, endTime } = isObject(schedule) ? schedule : {};
  const from = instantOf(startDate, startTime, false);
  const to = instantOf(endDate, endTime, true);
  if (from === undefined) throw invalidField('event.schedule.start_date', 'The event needs a date on which it starts.');
  if (to === undefined) throw invalidField('event.schedule.end_date', 'The event needs a date on which it ends.');
  if (to < from) throw invalidField('event.schedule', 'The event ends before it starts.');
}

function checkOffer(offer: unknown): void {
  if (!isObject(offer)) throw invalidField('offer', 'The offer must be an object.');
  if (offer['redeemOnlineUrl'] !== undefined) checkUrl(offer['redeemOnlineUrl'], 'offer.redeem_online_url');
}

function checkMedia(media: unknown): void {
  if (!Array.isArray(media) || media.length > MOST_MEDIA)
    throw invalidField('media', 'The media must be a short list.');
  for (const item of media as unknown[]) {
    const { mediaFormat, sourceUrl, ...more } = isObject(item) ? item : {};
    if (mediaFormat !== 'PHOTO')
      throw invalidField('media.media_format', 'Posts have photos alone.', String(mediaFormat).slice(0, 80));
    if (Object.keys(more).length > 0)
      throw invalidField('media', 'Media of posts have a source_url alone.', Object.keys(more).join(', ').slice(0, 80));
    checkUrl(sourceUrl, 'media.source_url');
  }
}

function checkSummary(summary: unknown): void {
  if (summary === undefined) return;
  if (typeof summary !== 'string') throw invalidField('summary', 'The summary must be text.');
  if (Array.from(summary).length > MOST_SUMMARY)
    throw invalidField('summary', `The summary has more than ${MOST_SUMMARY} characters.`);
}

/** Throws if the fields of a post contradict each other. Returns the fields to store. */
export function checkPost(fields: Fields): Fields {
  const { summary, topicType = 'STANDARD', callToAction, event, offer, media, alertType } = fields;
  if (!TOPICS.has(String(topicType)))
    throw invalidField('topic_type', 'The topic type is not known.', String(topicType).slice(0, 80));
  checkSummary(summary);
  if (media !== undefined) checkMedia(media);
  if (!isText(summary) && !(Array.isArray(media) && media.length > 0) && topicType === 'STANDARD')
    throw invalidField('summary', 'The post needs a summary or a photo.');
  if (callToAction !== undefined && topicType !== 'OFFER') checkAction(callToAction);
  if (topicType === 'EVENT' || topicType === 'OFFER') checkEvent(event);
  else if (event !== undefined) throw invalidField('event', 'Only events and offers have one.');
  if (offer !== undefined) {
    if (topicType !== 'OFFER') throw invalidField('offer', 'Only offers have one.');
    checkOffer(offer);
  }
  if ((topicType === 'ALERT') !== (alertType === 'COVID_19'))
    throw invalidField('alert_type', 'Alerts, and they alone, have the type COVID_19.');
  const { callToAction: action, ...rest } = fields;
  // Offers have an action of their own, so another one is ignored.
  return { ...rest, topicType, ...(action !== undefined && topicType !== 'OFFER' && { callToAction: action }) };
}
