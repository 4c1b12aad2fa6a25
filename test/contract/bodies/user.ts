import type { BodyCase } from './body-case.ts';

const PROFILE_TEXT = `{"status": "ok", "profile": {
  "firstName": "Nasrin", "lastName": "Moradi", "nationalCode": "0012345679", "email": "nasrin@example.test",
  "username": "nasrin@example.test", "phone": "02100000000", "mobile": "09120000000", "city": "Tehran",
  "bankCards": [{"number": "6037-9900-0000-0006", "bank": "Melli", "owner": "Nasrin Moradi", "confirmed": true, "status": "confirmed"}],
  "bankAccounts": [{"id": 4710, "number": "0123456789", "shaba": "IR060170000000000123456789", "bank": "Melli",
    "owner": "Nasrin Moradi", "confirmed": false, "status": "pending"}],
  "verifications": {"email": true, "phone": true, "mobile": true, "identity": true, "selfie": false, "bankAccount": true,
    "bankCard": true, "address": true, "city": true, "nationalSerialNumber": true},
  "pendingVerifications": {"email": false, "phone": false, "mobile": false, "identity": false, "selfie": true,
    "bankAccount": false, "bankCard": false},
  "options": {"fee": "0.25", "feeUsdt": "0.13", "isManualFee": false, "tfa": true, "socialLoginEnabled": false},
  "withdrawEligible": true}, "tradeStats": {"monthTradesTotal": "10867181.5365000000", "monthTradesCount": 3}}`;

const noNames = {
  firstName: null,
  lastName: null,
  nationalCode: null,
  email: null,
  username: null,
  phone: null,
  mobile: null,
  city: null,
};

export const PROFILE_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'profile',
    form: 'the specified form',
    body: PROFILE_TEXT,
    value: {
      profile: {
        firstName: 'Nasrin',
        lastName: 'Moradi',
        nationalCode: '0012345679',
        email: 'nasrin@example.test',
        username: 'nasrin@example.test',
        phone: '02100000000',
        mobile: '09120000000',
        city: 'Tehran',
        bankCards: [
          {
            number: '6037-9900-0000-0006',
            bank: 'Melli',
            owner: 'Nasrin Moradi',
            confirmed: true,
            status: 'confirmed',
          },
        ],
        bankAccounts: [
          {
            id: 4710,
            number: '0123456789',
            shaba: 'IR060170000000000123456789',
            bank: 'Melli',
            owner: 'Nasrin Moradi',
            confirmed: false,
            status: 'pending',
          },
        ],
        verifications: {
          email: true,
          phone: true,
          mobile: true,
          identity: true,
          selfie: false,
          bankAccount: true,
          bankCard: true,
          address: true,
          city: true,
          nationalSerialNumber: true,
        },
        pendingVerifications: {
          email: false,
          phone: false,
          mobile: false,
          identity: false,
          selfie: true,
          bankAccount: false,
          bankCard: false,
        },
        options: { fee: '0.25', feeUsdt: '0.13', isManualFee: false, tfa: true, socialLoginEnabled: false },
        withdrawEligible: true,
      },
      tradeStats: { monthTradesTotal: '10867181.5365', monthTradesCount: 3 },
    },
  },
  {
    endpoint: 'profile',
    form: 'fee rates alone, as bare numbers',
    body: '{"status": "ok", "profile": {"options": {"fee": 0.25, "feeUsdt": 0.130}, "level": 46}}',
    value: {
      profile: {
        ...noNames,
        bankCards: [],
        bankAccounts: [],
        verifications: {},
        pendingVerifications: {},
        options: { fee: '0.25', feeUsdt: '0.13', isManualFee: null, tfa: null, socialLoginEnabled: null },
        withdrawEligible: null,
      },
      tradeStats: null,
    },
  },
];

export const USER_BODIES: readonly BodyCase[] = [
  {
    endpoint: 'loginAttempts',
    form: 'the specified form',
    body: `{"status": "ok", "attempts": [
      {"ip": "198.51.100.7", "username": "nasrin@example.test", "status": "Successful", "createdAt": "2024-03-11T12:52:35.123456+03:30"},
      {"ip": "198.51.100.8", "username": "nasrin@example.test", "status": "Failed", "createdAt": "2024-03-10T00:00:00Z", "agent": "x"}]}`,
    value: [
      {
        ip: '198.51.100.7',
        username: 'nasrin@example.test',
        status: 'Successful',
        createdAtMs: Date.UTC(2024, 2, 11, 9, 22, 35, 123),
      },
      { ip: '198.51.100.8', username: 'nasrin@example.test', status: 'Failed', createdAtMs: Date.UTC(2024, 2, 10) },
    ],
  },
  {
    endpoint: 'referralCode',
    form: 'the specified form with a number that is money',
    body: `{"status": "ok", "referredUsersCount": 2, "referralCode": "31415", "referralFeeTotalCount": 17,
      "referralFeeTotal": 1218753.10}`,
    value: {
      referredUsersCount: 2,
      referralCode: '31415',
      referralFeeTotalCount: 17,
      referralFeeTotal: '1218753.1',
    },
  },
  {
    endpoint: 'limitations',
    form: 'the specified form',
    body: `{"status": "ok", "limitations": {"userLevel": "level2", "features": {"crypto_trade": false, "rial_trade": true,
      "coin_deposit": false, "rial_deposit": true, "coin_withdrawal": false, "rial_withdrawal": true},
      "limits": {"withdrawRialDaily": {"used": "0", "limit": "9000000000"}, "withdrawCoinDaily": {"used": "0E-10", "limit": "20000000000"},
      "withdrawTotalDaily": {"used": "12600.5000000000", "limit": "20000000000"},
      "withdrawTotalMonthly": {"used": 12600.50, "limit": 300000000000}}}}`,
    value: {
      userLevel: 'level2',
      features: {
        crypto_trade: false,
        rial_trade: true,
        coin_deposit: false,
        rial_deposit: true,
        coin_withdrawal: false,
        rial_withdrawal: true,
      },
      limits: {
        withdrawRialDaily: { used: '0', limit: '9000000000' },
        withdrawCoinDaily: { used: '0', limit: '20000000000' },
        withdrawTotalDaily: { used: '12600.5', limit: '20000000000' },
        withdrawTotalMonthly: { used: '12600.5', limit: '300000000000' },
      },
    },
  },
  {
    endpoint: 'generateAddress',
    form: 'the specified form',
    request: { currency: 'btc' },
    body: '{"status": "ok", "address": "bc1qexampleexampleexample"}',
    value: 'bc1qexampleexampleexample',
  },
  {
    endpoint: 'addCard',
    form: 'the specified form',
    request: { number: '6037990000000006', bank: 'Melli' },
    body: '{"status": "ok"}',
    value: null,
  },
  {
    endpoint: 'addAccount',
    form: 'the specified form',
    request: { number: '0123456789', shaba: 'IR060170000000000123456789', bank: 'Melli' },
    body: '{"status": "ok"}',
    value: null,
  },
  {
    endpoint: 'favoriteMarkets',
    form: 'the specified form',
    body: '{"status": "ok", "favoriteMarkets": ["BTCIRT", "SHIBUSDT"]}',
    value: ['BTCIRT', 'SHIBUSDT'],
  },
  {
    endpoint: 'addFavoriteMarkets',
    form: 'the list after the change',
    request: { market: 'BTCIRT,SHIBUSDT' },
    body: '{"status": "ok", "favoriteMarkets": ["BTCIRT", "SHIBUSDT"]}',
    value: ['BTCIRT', 'SHIBUSDT'],
  },
  {
    endpoint: 'removeFavoriteMarkets',
    form: 'an empty list after the last one',
    request: { market: 'All' },
    body: '{"status": "ok", "favoriteMarkets": []}',
    value: [],
  },
  {
    endpoint: 'login',
    form: 'the specified form, a key alone',
    request: { username: 'nasrin@example.test', password: 'not-a-secret', captcha: 'api' },
    body: '{"key": "0123456789abcdef0123456789abcdef01234567"}',
    value: { key: '0123456789abcdef0123456789abcdef01234567', device: null },
  },
  {
    endpoint: 'login',
    form: 'a status and a device beside the key',
    request: { username: 'nasrin@example.test', password: 'not-a-secret', captcha: 'api', remember: 'yes' },
    body: '{"status": "success", "key": "0123456789abcdef0123456789abcdef01234567", "device": "dev-7"}',
    value: { key: '0123456789abcdef0123456789abcdef01234567', device: 'dev-7' },
  },
];
