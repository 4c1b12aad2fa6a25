"""The strategies of the peer freqtrade, which loads them from a folder of their own."""

from datetime import datetime

from freqtrade.strategy import IStrategy
from pandas import DataFrame

FAST = 10
SLOW = 30
SHARE = 0.01


class Idle(IStrategy):
    timeframe = "1m"
    startup_candle_count = SLOW
    minimal_roi: dict = {}
    stoploss = -0.99

    def populate_indicators(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        return dataframe

    def populate_entry_trend(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        return dataframe

    def populate_exit_trend(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        return dataframe


class Cross(Idle):
    def populate_indicators(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        dataframe["fast"] = dataframe["close"].rolling(FAST).mean()
        dataframe["slow"] = dataframe["close"].rolling(SLOW).mean()
        return dataframe

    def populate_entry_trend(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        dataframe.loc[dataframe["fast"] > dataframe["slow"], "enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe: DataFrame, metadata: dict) -> DataFrame:
        dataframe.loc[dataframe["fast"] < dataframe["slow"], "exit_long"] = 1
        return dataframe

    def custom_stake_amount(self, current_time: datetime, **kwargs) -> float:
        return self.wallets.get_free("USDT") * SHARE
