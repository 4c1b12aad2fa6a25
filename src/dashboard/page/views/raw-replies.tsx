import { indentedJson } from '../../../language/indented-json.ts';
import type { RawReplyItem } from '../../schema/order.ts';
import { Panel } from '../parts/panel.tsx';
import { RawData } from '../parts/raw-data.tsx';
import { Badge, Said } from '../parts/words.tsx';
import { say } from '../say.ts';
import { showCount, showTime } from '../shown.ts';

/** Shows the exchange's original replies on an order, each to be opened. */
export function RawReplies({ replies }: { readonly replies: readonly RawReplyItem[] }) {
  return (
    <Panel title={say('order.replies')} note={say('order.repliesNote')}>
      {replies.length === 0 ? <p class="empty">{say('order.noReplies')}</p> : null}
      <ol class="life replies">
        {replies.map((reply) => (
          <RawReply key={`${reply.orderKey} ${reply.step} ${reply.problem === null}`} reply={reply} />
        ))}
      </ol>
    </Panel>
  );
}

function RawReply({ reply }: { readonly reply: RawReplyItem }) {
  const { step, atMs, endpoint, httpStatus, body, bodyLength, problem } = reply;
  const isCut = body.length < bodyLength;
  return (
    <li>
      <time class="when">{showTime(atMs, 'second')}</time>
      <span>
        <Badge tone={problem === null ? 'calm' : 'bad'}>{say(`order.replyTo.${step}`)}</Badge>{' '}
        <bdi dir="ltr">
          {endpoint} · HTTP {httpStatus}
        </bdi>
        {problem === null ? null : (
          <>
            {' '}
            <Said text={problem} />
          </>
        )}
      </span>
      <RawData
        label={
          isCut
            ? say('order.replyCut', { shown: showCount(body.length), length: showCount(bodyLength) })
            : say('order.replyBody')
        }
        data={indentedJson(body)}
      />
    </li>
  );
}
