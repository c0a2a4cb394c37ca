def help
end
help
# <- #help
describe 'x' do
  def inner
  end
  it { inner }
  #    ^ -> #inner
end
