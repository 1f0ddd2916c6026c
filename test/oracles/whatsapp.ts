import { openOracle } from './oracle.ts';

type Schema =
  | 'SentMessage'
  | 'CaptionedMedia'
  | 'BareMedia'
  | 'DocumentMedia'
  | 'MessageResponsePayload'
  | 'WebhookPayload'
  | 'Media'
  | 'UploadedMedia'
  | 'Template'
  | 'TemplateList'
  | 'MadeTemplate'
  | 'WhatsAppAccountNumber'
  | 'WhatsAppBusinessAccountPhoneNumbersConnection'
  | 'WhatsAppBusinessPhoneNumberRegistrationResponse'
  | 'DeregisterResponse'
  | 'RequestCodeResponse'
  | 'VerifyCodeResponse'
  | 'WhatsAppBusinessProfileResponse'
  | 'WhatsAppBusinessProfileUpdateResponse'
  | 'SubscribedAppsResponse'
  | 'SubscriptionResponse';

const { flawsOf } = openOracle<Schema>('./meta-whatsapp.json');

/** What the published schema of WhatsApp has against a value. */
export { flawsOf };

/** What the schema has against the messages that an app has sent to the simulator, out of the simulator's own list. */
export const flawsOfSent = (messages: readonly any[]): readonly string[] =>
  messages
    .flatMap(({ asked }) => asked ?? [])
    .flatMap((body) => flawsOf('SentMessage', body).map((flaw) => `${JSON.stringify(body)}: ${flaw}`));
