import { listAudit, type AuditFilter, type AuditRow } from '#db/leash/audit.ts';
import type { Base } from '#call/ports.ts';
import type { Authority } from '#kernel/authority.ts';
import { isoTime } from '#kernel/clock.ts';
import type { PageQuery } from '#kernel/pagination.ts';

/** Reads the audit log. */
export function makeAuditReader({ store, lists }: Pick<Base, 'store' | 'lists'>) {
  return Object.freeze({
    list: (authority: Authority, filter: AuditFilter, page: PageQuery) =>
      lists.page(page, {
        name: 'audit',
        given: filter,
        read: (filters, span) => listAudit(store.db, authority, filters, span),
        position: ({ at, id }) => ({ at, id }),
        show: (rows) => rows.map(present),
      }),
  });
}

function present(row: AuditRow) {
  return {
    id: row.id,
    at: isoTime(row.at),
    tool: row.tool,
    act: row.act,
    verdict: row.verdict,
    client: row.client,
    caller_kind: row.caller_kind,
    facade: row.facade,
    connection_id: row.connection_id,
    user_id: row.user_id,
    address: row.address,
    arguments: row.args,
    status: row.status,
    code: row.code,
    effect_id: row.effect_id,
    action_id: row.action_id,
    request_id: row.request_id,
    duration_ms: row.ms,
  };
}

export type AuditReader = ReturnType<typeof makeAuditReader>;
