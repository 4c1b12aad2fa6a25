import { valueHalfEven } from '../../domain/market.ts';
import { UNITS_PER_ONE, UNIT_DECIMALS, formatUnits, divideHalfEven, divideDown } from '../../domain/money.ts';
import type { Execution } from '../../domain/order.ts';
import type { OrderView } from '../../simulator/order-list.ts';
import type { WireForms, WireCall } from './handler.ts';
import { type SimulatedOrder, NO_PRICE, type TradeOfOrder } from '../../simulator/market-state.ts';
import { confirmationsOf, type Deposit } from '../../simulator/deposits.ts';
import { fulfilledUnits, isCancelable, type RialWithdrawalState } from '../../simulator/rial-withdrawal.ts';
import type { Wallet, WalletEntry } from '../../simulator/accounts.ts';

const EXECUTION_WORDS: Readonly<Record<Execution, string>> = {
  limit: 'Limit',
  market: 'Market',
  stop_limit: 'StopLimit',
  stop_market: 'StopMarket',
};

/**
 * Returns the value of an order at its registered price. Without one, a market order has the value it traded,
 * and a stop-market order that has not traded the value at its stop price: no document says.
 */
function orderTotal(order: SimulatedOrder, total: bigint): bigint {
  if (order.registeredPrice !== NO_PRICE)
    return valueHalfEven(order.grid, BigInt(order.registeredPrice) * BigInt(order.amount));
  if (total !== 0n || order.stopPrice === NO_PRICE) return total;
  return valueHalfEven(order.grid, BigInt(order.stopPrice) * BigInt(order.amount));
}

/**
 * Writes a spot order for replies. With `details` 1 the five fields of the list's second level are left out.
 * Source: interface, "Order (spot order record)".
 */
export function orderJson(view: OrderView, forms: WireForms, details: 1 | 2 = 2): Record<string, unknown> {
  const { order, matched, total } = view;
  const { grid, market } = order;
  const { amountStep, priceStep } = grid;
  const matchedUnits = BigInt(matched) * amountStep;
  const amountUnits = BigInt(order.amount) * amountStep;
  const record: Record<string, unknown> = {};
  if (details === 2) record['id'] = order.id;
  record['type'] = order.side;
  if (!forms.omitOptionalFields) record['execution'] = EXECUTION_WORDS[order.execution];
  record['tradeType'] = order.tradeKind;
  if (!forms.omitOptionalFields) record['market'] = grid.pair;
  record['srcCurrency'] = market.baseName;
  record['dstCurrency'] = market.quoteName;
  record['price'] = order.isMarket
    ? 'market'
    : writeDecimal(BigInt(order.registeredPrice) * priceStep, forms);
  record['amount'] = writeDecimal(amountUnits, forms);
  record['totalPrice'] = writeDecimal(total, forms);
  record['totalOrderPrice'] = writeDecimal(orderTotal(order, total), forms);
  record['matchedAmount'] = writeDecimal(matchedUnits, forms);
  record['unmatchedAmount'] = writeDecimal(amountUnits - matchedUnits, forms);
  if (details === 2) record['status'] = view.status;
  record['partial'] = matched > 0 && matched < order.amount;
  if (details === 2) {
    record['fee'] = writeDecimal(view.fee, forms);
    record['created_at'] = writeTime(order.createdAtMs);
    if (!forms.omitOptionalFields) {
      const average = matched === 0 ? 0n : divideHalfEven(total * UNITS_PER_ONE, matchedUnits);
      record['averagePrice'] = writeDecimal(average, forms);
    }
  }
  record['clientOrderId'] = order.clientOrderId;
  record['pairId'] = order.pair?.id ?? null;
  if (order.stopPrice !== NO_PRICE)
    record['param1'] = writeDecimal(BigInt(order.stopPrice) * priceStep, forms);
  if (forms.unknownFields) {
    record['user'] = `user-${order.userId}`;
    record['isMyOrder'] = true;
  }
  return record;
}

/** Writes a trade as its user sees it, with all fields. Source: interface, "Trade (user trade record)". */
export function tradeJson(
  { trade, order, total, fee }: TradeOfOrder,
  forms: WireForms,
  idShift = 0,
): Record<string, unknown> {
  const { grid } = trade;
  const record: Record<string, unknown> = {
    id: trade.id + idShift,
    orderId: order.id,
    srcCurrency: order.market.baseName,
    dstCurrency: order.market.quoteName,
    market: grid.pair,
    timestamp: writeTime(trade.timeMs),
    type: order.side,
    price: writeDecimal(BigInt(trade.price) * grid.priceStep, forms),
    amount: writeDecimal(BigInt(trade.amount) * grid.amountStep, forms),
    total: writeDecimal(total, forms),
    fee: writeDecimal(fee, forms),
  };
  if (forms.unknownFields) record['isMaker'] = trade.maker === order;
  return record;
}

/** Writes a wallet in the first form of the interface, "Wallet", with its value in whole rial. */
export function walletJson(wallet: Wallet, call: WireCall): Record<string, unknown> {
  const { services } = call.exchange;
  const addresses = services.addresses.of(wallet.userId, services.currency(wallet.currency));
  const first = addresses[0]?.[1] ?? null;
  const rial = call.exchange.rialValue(wallet.currency, wallet.total) ?? 0n;
  const rialBalance = writeNumber(divideDown(rial, UNITS_PER_ONE) * UNITS_PER_ONE);
  return {
    id: wallet.id,
    currency: wallet.currency,
    balance: writeDecimal(wallet.total, call.forms),
    blockedBalance: writeDecimal(wallet.held, call.forms),
    activeBalance: writeDecimal(wallet.free, call.forms),
    rialBalance,
    rialBalanceSell: rialBalance,
    depositAddress: first?.address ?? null,
    depositTag: first?.tag ?? null,
    depositInfo: Object.fromEntries(
      addresses.map(([network, made]) => [
        network,
        { address: made?.address ?? null, tag: made?.tag ?? null },
      ]),
    ),
  };
}

/** Writes a wallet in the second form. Source: interface, "Wallet". */
export function balanceJson(wallet: Wallet, call: WireCall): Record<string, unknown> {
  return {
    id: wallet.id,
    balance: writeDecimal(wallet.total, call.forms),
    blocked: writeDecimal(wallet.held, call.forms),
  };
}

/** Writes a line of a wallet's history. Source: interface, "Wallet transaction". */
export function transactionJson(transaction: WalletEntry, call: WireCall): Record<string, unknown> {
  return {
    id: transaction.id,
    currency: transaction.currency,
    created_at: writeTime(transaction.timeMs),
    calculatedFee: writeDecimal(transaction.fee, call.forms),
    amount: writeDecimal(transaction.units, call.forms),
    description: transaction.description,
  };
}

/** Writes a deposit; `transaction` is null until it is confirmed. Source: interface, "Deposit". */
export function depositJson(deposit: Deposit, call: WireCall): Record<string, unknown> {
  const { creditedAtMs } = deposit;
  const isConfirmed = creditedAtMs !== null;
  const amount = writeDecimal(deposit.units, call.forms);
  return {
    txHash: deposit.txHash,
    address: deposit.address,
    confirmed: isConfirmed,
    transaction: isConfirmed
      ? {
          id: deposit.transactionId,
          amount,
          currency: deposit.currency,
          description: `Deposit ${deposit.txHash}`,
          created_at: writeTime(creditedAtMs),
          calculatedFee: writeDecimal(0n, call.forms),
        }
      : null,
    currency: deposit.currency,
    blockchainUrl: `https://explorer.example/${deposit.network ?? 'bank'}/${deposit.txHash}`,
    confirmations: isConfirmed ? deposit.requiredConfirmations : confirmationsOf(deposit, call.timeMs),
    requiredConfirmations: deposit.requiredConfirmations,
    amount,
  };
}

/** Writes a withdrawal for the calls of version 2. Source: interface, "Rial withdrawal (version 2)". */
export function withdrawalRecord(withdrawal: RialWithdrawalState, call: WireCall): Record<string, unknown> {
  const { withdrawalSettings } = call.exchange.services;
  const { account } = withdrawal;
  return {
    id: withdrawal.id,
    createdAt: writeTime(withdrawal.createdAtMs),
    status: withdrawal.status,
    amount: writeDecimal(withdrawal.units, call.forms),
    fee: writeDecimal(withdrawal.fee, call.forms),
    fulfilledAmount: writeDecimal(fulfilledUnits(withdrawal), call.forms),
    bankAccountId: account.id,
    bankAccountInfo: {
      id: account.id,
      number: account.number,
      shaba: account.shaba,
      bank: account.bank,
      owner: account.owner,
    },
    isCancelable: isCancelable(withdrawal, call.timeMs, withdrawalSettings),
    records: withdrawal.payments.map((payment) => ({
      amount: writeDecimal(payment.units, call.forms),
      bankReferenceNumber: payment.bankReferenceNumber,
      status: payment.status,
      estimatedSettleAt: payment.estimatedSettleAtMs === null ? null : writeTime(payment.estimatedSettleAtMs),
      providerUpdatedAt: writeTime(payment.updatedAtMs),
      transferType: withdrawalSettings.transferType,
    })),
  };
}

/** Writes a withdrawal for the shared list, with the currency and the wallet that older withdrawals have. */
export function listedWithdrawalJson(
  withdrawal: RialWithdrawalState,
  call: WireCall,
): Record<string, unknown> {
  return {
    ...withdrawalRecord(withdrawal, call),
    currency: 'rls',
    address: withdrawal.account.shaba,
    wallet_id: withdrawal.walletId,
  };
}

/** `JSON.rawJSON` of Node 24, which TypeScript's library lacks: its text is written unchanged. */
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON: (text: string) => object };

/** Writes a decimal as configured: canonical text, text of all ten decimals, or a bare number. */
export function writeDecimal(units: bigint, forms: Pick<WireForms, 'decimals'>): string | object {
  // Half of an order's decimals are nothing yet.
  if (units === 0n && forms.decimals === 'canonical') return '0';
  const text = formatUnits(units);
  if (forms.decimals === 'canonical') return text;
  if (forms.decimals === 'number') return rawJSON(text);
  const point = text.indexOf('.');
  const fraction = point === -1 ? '' : text.slice(point + 1);
  return `${point === -1 ? text : text.slice(0, point)}.${fraction.padEnd(UNIT_DECIMALS, '0')}`;
}

/** Writes a decimal as a bare number with all its digits, where the interface says number. */
export const writeNumber = (units: bigint): object => rawJSON(formatUnits(units));

let lastMs = Number.NaN;
let lastText = '';

/** Writes a time of records: ISO 8601 with offset, in UTC. Source: interface, "General conventions". */
export function writeTime(timeMs: number): string {
  // Many records share their moment: the last text is kept.
  if (timeMs !== lastMs) {
    lastText = `${new Date(timeMs).toISOString().slice(0, -1)}+00:00`;
    lastMs = timeMs;
  }
  return lastText;
}

interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
}

/** Largest page; larger requests are reduced to it. */
const LARGEST_PAGE = 1_000;

/** Returns the page that a list call requests. */
export function pageRequest(
  asked: { readonly page?: number | undefined; readonly pageSize?: number | undefined },
  defaultSize: number,
): PageRequest {
  return { page: asked.page ?? 1, pageSize: Math.min(asked.pageSize ?? defaultSize, LARGEST_PAGE) };
}

/** Returns one page of a list that is newest first, and a field that says if there is more. */
export function slicePage<T>(
  items: readonly T[],
  request: PageRequest,
): { readonly items: readonly T[]; readonly hasNext: boolean } {
  const start = (request.page - 1) * request.pageSize;
  return {
    items: items.slice(start, start + request.pageSize),
    hasNext: items.length > start + request.pageSize,
  };
}

/** Returns the field `hasNext`, unless the deployment leaves it out. */
export function hasNextField(
  hasNext: boolean,
  forms: Pick<WireForms, 'omitOptionalFields'>,
): { readonly hasNext?: boolean } {
  return forms.omitOptionalFields ? {} : { hasNext };
}
