import type { Config } from '#kernel/config/config.ts';
import { fail, type ApiError } from '#kernel/errors.ts';
import type { RequestContext } from '#kernel/route.ts';
import { SANDBOX } from '../../http/areas.ts';
import { waitHeader } from '../../refusal-headers.ts';
import type { Forms } from '../kit/form-guard.ts';
import { sendPage } from '../kit/html-page.ts';
import { subjectOf, type Connect, type ConnectPending } from './pending.ts';
import { drawForm, drawInterstitial, headingOf, type Filled } from './view.ts';

export type ConnectPagesDeps = Readonly<{
  config: Pick<Config, 'rootUrl'>;
  connect: Pick<Connect, 'consents'>;
  forms: Forms;
  workspaceName(workspaceId: string): Promise<string>;
}>;

/** The pages of a connection: the login form, and the step before the platform's consent page. */
export function makeConnectPages({ config, connect, forms, workspaceName }: ConnectPagesDeps) {
  async function content(ctx: RequestContext, pending: ConnectPending, state: string) {
    forms.open(ctx, subjectOf(state));
    return {
      pending,
      workspaceName: await workspaceName(pending.row.workspace_id),
      consoleUrl: `${config.rootUrl}${SANDBOX}`,
      action: `${ctx.path}?state=${state}`,
      token: forms.token(ctx, subjectOf(state)),
    };
  }

  return Object.freeze({
    async showForm(ctx: RequestContext, pending: ConnectPending, state: string, filled?: Filled): Promise<void> {
      const form = pending.form ?? fail('auth.state_mismatch');
      if (filled) ctx.set(waitHeader(filled.refusal));
      sendPage(ctx, {
        status: filled === undefined ? 200 : formStatusOf(filled.refusal),
        title: filled === undefined ? headingOf(pending) : `Error: ${headingOf(pending)}`,
        body: drawForm(await content(ctx, pending, state), form, filled),
        forms: 'client',
      });
    },

    async showInterstitial(ctx: RequestContext, pending: ConnectPending, state: string): Promise<void> {
      const consents = connect.consents(pending);
      if (consents.length === 0) fail('auth.state_mismatch');
      sendPage(ctx, {
        title: headingOf(pending),
        body: drawInterstitial(await content(ctx, pending, state), consents),
        forms: 'client',
      });
    },
  });
}

/** The status of a refused form: 400 instead of 401, on which browsers ask for a password, and of 502 from a platform. */
function formStatusOf({ status }: ApiError): number {
  return status === 429 || status === 500 ? status : 400;
}
